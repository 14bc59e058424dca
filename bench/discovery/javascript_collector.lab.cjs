// Lists what @hapi/lab collects as JSON lines {"file", "line", "name"}, without running a test.
//
//     cd PROJECT && COLLECT_OUTPUT=FILE NODE_OPTIONS="--require …/javascript_collector.lab.cjs" npx lab --dry [options]
//
// `line` is the call site of a test: the first frame of the stack outside of node_modules.
const { appendFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { join, relative } = require("node:path");

const Lab = createRequire(join(process.cwd(), "package.json"))("@hapi/lab");
const { script } = Lab;
const root = process.env.COLLECT_ROOT ?? process.cwd();

function recorded(declare) {
  const record = (...given) => {
    const frames = new Error().stack.split("\n").slice(2);
    const own = frames.find((frame) => !frame.includes("node_modules")) ?? "";
    const [, file, line] = /\(?(\/[^():]+):(\d+):\d+\)?$/.exec(own) ?? [];
    if (file) {
      const row = { file: relative(root, file), line: Number(line), name: given[0] };
      appendFileSync(process.env.COLLECT_OUTPUT, `${JSON.stringify(row)}\n`);
    }
    return declare(...given);
  };
  return record;
}

Lab.script = (options) => {
  const made = script(options);
  for (const name of ["test", "it"]) {
    const { only, skip } = made[name];
    made[name] = Object.assign(recorded(made[name]), { only: recorded(only), skip: recorded(skip) });
  }
  return made;
};
