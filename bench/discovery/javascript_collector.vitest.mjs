// Lists what Vitest collects as JSON lines {"file", "line", "name"}, without running a test.
//
//     cd PROJECT && node …/javascript_collector.vitest.mjs OUTPUT [vitest options: --config FILE, --root DIR]
//
// `line` is the call site that Vitest itself reports: the first frame of the stack inside the test file. A test that
// was declared without any frame there, or by a type check, has no place and is counted on standard error.
import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";

const [output, ...rest] = process.argv.slice(2);
const require = createRequire(join(process.cwd(), "package.json"));
const { parseCLI, createVitest } = await import(pathToFileURL(require.resolve("vitest/node")).href);

const place = (module) => relative(process.env.COLLECT_ROOT ?? process.cwd(), module.moduleId).split("\\").join("/");
const { options } = parseCLI(["vitest", "list", ...rest]);
const vitest = await createVitest("test", { ...options, watch: false, includeTaskLocation: true, reporters: [] });
const { testModules, unhandledErrors } = await vitest.collect();
const lines = new Set();
let unplaced = 0;
for (const module of testModules) {
  for (const error of module.errors()) {
    console.error(`${module.relativeModuleId}: ${error.message}`);
    lines.add(JSON.stringify({ file: place(module), unseen: String(error.message).split("\n")[0] }));
  }
  for (const test of module.children.allTests()) {
    const file = place(module);
    if (!test.location) {
      unplaced += 1;
      if (!test.meta().typecheck) {
        console.error(`without a place: ${file}: ${test.fullName}`);
      }
      continue;
    }
    lines.add(JSON.stringify({ file, line: test.location.line, name: test.fullName }));
  }
}
for (const error of unhandledErrors ?? []) {
  console.error(String(error?.stack ?? error));
}
writeFileSync(output, [...lines].sort().join("\n") + "\n");
console.error(`${lines.size} tests in ${testModules.length} files; ${unplaced} without a place`);
await vitest.close();
process.exit(0);
