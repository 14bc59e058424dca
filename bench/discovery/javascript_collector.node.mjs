// Lists what node:test runs as JSON lines {"file", "line", "name"}: a reporter of test events.
//
//     cd PROJECT && COLLECT_OUTPUT=FILE node --test --test-reporter=…/javascript_collector.node.mjs \
//         --test-reporter-destination=stdout [files]
//
// Subtests exist only while their parent runs, so the tests do run.
import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

export default async function* collect(source) {
  const lines = new Set();
  const root = process.env.COLLECT_ROOT ?? process.cwd();
  for await (const { type, data } of source) {
    const known = (type === "test:pass" || type === "test:fail") && data.file && data.line;
    if (known && data.details?.type !== "suite") {
      const path = data.file.startsWith("file:") ? fileURLToPath(data.file) : data.file;
      lines.add(JSON.stringify({ file: relative(root, path), line: data.line, name: data.name }));
    }
  }
  writeFileSync(process.env.COLLECT_OUTPUT, [...lines].sort().join("\n") + "\n");
  yield `${lines.size} call sites\n`;
}
