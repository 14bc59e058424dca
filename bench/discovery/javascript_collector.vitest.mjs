// Lists what Vitest collects as JSON lines {"file", "line", "name"}, without running a test.
//
//     cd PROJECT && node …/javascript_collector.vitest.mjs OUTPUT [vitest options: --config FILE, --root DIR]
//
// `line` is the call site that Vitest itself reports: the first frame of the stack inside the test file. A test that
// was declared without any frame there has no line and is written with line 0. Type checks report no places at all; what
// they alone collect is counted on standard error.
import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";

const [output, ...rest] = process.argv.slice(2);
const require = createRequire(join(process.cwd(), "package.json"));
const { parseCLI, createVitest } = await import(pathToFileURL(require.resolve("vitest/node")).href);

const { options } = parseCLI(["vitest", "list", ...rest]);
const vitest = await createVitest("test", { ...options, watch: false, includeTaskLocation: true, reporters: [] });
const { testModules, unhandledErrors } = await vitest.collect();
const lines = new Set();
let checked = 0;
for (const module of testModules) {
  for (const error of module.errors()) {
    console.error(`${module.relativeModuleId}: ${error.message}`);
  }
  for (const test of module.children.allTests()) {
    const file = relative(process.env.COLLECT_ROOT ?? process.cwd(), module.moduleId).split("\\").join("/");
    if (!test.location && test.meta().typecheck) {
      checked += 1;
      continue;
    }
    lines.add(JSON.stringify({ file, line: test.location?.line ?? 0, name: test.fullName }));
  }
}
for (const error of unhandledErrors ?? []) {
  console.error(String(error?.stack ?? error));
}
writeFileSync(output, [...lines].sort().join("\n") + "\n");
console.error(`${lines.size} tests in ${testModules.length} files; ${checked} type checks without a place`);
await vitest.close();
process.exit(0);
