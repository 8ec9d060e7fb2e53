// Asks the pages' module: a question a line, an answer a line; "stack": how many bytes of one the kernels before it used.
// node ask_live.cjs FOLDER < questions
const { readFileSync, writeSync } = require("fs");
const make = require(`${process.argv[2]}/live.js`);

make().then((module) => {
  for (const question of readFileSync(0, "utf8").trim().split("\n")) {
    if (question !== "stack") module.ccall("tutorial_ask", null, ["string"], [question]);
    const answer = question === "stack" ? module.ccall("tutorial_deepest_stack", "number", [], [])
      : module.UTF8ToString(module.ccall("tutorial_answer", "number", [], []));
    writeSync(1, `${answer}\n`);
  }
});
