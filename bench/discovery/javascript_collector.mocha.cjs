// Lists what Mocha collects as JSON lines {"file", "line", "name"}, without running a test.
//
//     cd PROJECT && COLLECT_OUTPUT=FILE mocha --dry-run --require …/javascript_collector.mocha.cjs [the project's arguments]
//
// `line` is the innermost call outside node_modules that added the test, `file` the file it stands in.
const { writeFileSync } = require("node:fs");
const { findSourceMap } = require("node:module");
const { join, relative } = require("node:path");
const { fileURLToPath } = require("node:url");

const Mocha = require(require.resolve("mocha", { paths: [process.cwd()] }));
const root = process.env.COLLECT_ROOT ?? process.cwd();
const lines = new Set();

/** The line of a frame in its own source: ts-node keeps its maps to itself, Node.js those of tsx. */
function lineOf(frame, name) {
  const entry = findSourceMap(name)?.findEntry(frame.getLineNumber() - 1, frame.getColumnNumber() - 1);
  if (entry?.originalLine !== undefined) return entry.originalLine + 1;
  try {
    const from = require.resolve("ts-node", { paths: [root] });
    return require(require.resolve("@cspotcode/source-map-support", { paths: [from] })).wrapCallSite(frame).getLineNumber();
  } catch {
    return frame.getLineNumber();
  }
}

function callSite() {
  const prepare = Error.prepareStackTrace;
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 60;
  Error.prepareStackTrace = (_error, frames) => frames;
  const frames = new Error("where").stack;
  Error.prepareStackTrace = prepare;
  Error.stackTraceLimit = limit;
  for (const frame of frames) {
    const name = frame.getFileName() ?? "";
    const file = name.startsWith("file:") ? fileURLToPath(name) : name;
    if (file.startsWith(root) && file !== __filename && !file.includes("/node_modules/")) {
      return { file: relative(root, file).split("\\").join("/"), line: lineOf(frame, file) };
    }
  }
  return { file: "", line: 0 };
}

const addTest = Mocha.Suite.prototype.addTest;
Mocha.Suite.prototype.addTest = function (test) {
  const added = addTest.call(this, test);
  lines.add(JSON.stringify({ ...callSite(), name: test.fullTitle() }));
  return added;
};
process.on("exit", () => writeFileSync(process.env.COLLECT_OUTPUT, [...lines].sort().join("\n") + "\n"));
