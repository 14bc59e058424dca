// Lists what node:test runs as JSON lines {"file", "line", "name"}: a reporter of test events.
//
//     cd PROJECT && COLLECT_OUTPUT=FILE node --test --test-reporter=…/javascript_collector.node.mjs \
//         --test-reporter-destination=stdout [files]
//
// Subtests exist only while their parent runs, so the tests do run.
import { appendFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

export default async function* collect(source) {
  const lines = new Set();
  const root = process.env.COLLECT_ROOT ?? process.cwd();
  writeFileSync(process.env.COLLECT_OUTPUT, "");
  for await (const { type, data } of source) {
    // a file that fails as a whole is reported as a test of its own name
    const known = (type === "test:pass" || type === "test:fail") && data.file && data.line && data.name !== data.file;
    if (known && data.details?.type !== "suite") {
      const path = data.file.startsWith("file:") ? fileURLToPath(data.file) : data.file;
      const line = JSON.stringify({ file: relative(root, path), line: data.line, name: data.name });
      if (!lines.has(line)) {
        appendFileSync(process.env.COLLECT_OUTPUT, `${line}\n`);
      }
      lines.add(line);
    }
  }
  yield `${lines.size} call sites\n`;
}
