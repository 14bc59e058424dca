// Lists what Jest collects as JSON lines {"file", "line", "name"}: a reporter.
//
//     cd PROJECT && COLLECT_OUTPUT=FILE jest --testLocationInResults --testNamePattern '^nothing$' \
//         --coverage=false --reporters …/javascript_collector.jest.cjs
//
// The pattern keeps every test from running; a skipped test is reported with its place all the same.
const { writeFileSync } = require("node:fs");
const { relative } = require("node:path");

module.exports = class Collector {
  constructor() {
    this.lines = new Set();
  }

  onTestResult(_test, result) {
    const root = process.env.COLLECT_ROOT ?? process.cwd();
    const file = relative(root, result.testFilePath).split("\\").join("/");
    if (result.testExecError) {
      this.lines.add(JSON.stringify({ file, unseen: String(result.testExecError.message).split("\n")[0] }));
    }
    for (const test of result.testResults) {
      this.lines.add(JSON.stringify({ file, line: test.location?.line ?? 0, name: test.fullName }));
    }
  }

  onRunComplete() {
    writeFileSync(process.env.COLLECT_OUTPUT, [...this.lines].sort().join("\n") + "\n");
  }
};
