// Asks the pages' module: a question a line, an answer a line. node ask_live.cjs FOLDER < questions
const { readFileSync, writeSync } = require("fs");
const make = require(`${process.argv[2]}/live.js`);

make().then((module) => {
  for (const question of readFileSync(0, "utf8").trim().split("\n")) {
    module.ccall("tutorial_ask", null, ["string"], [question]);
    writeSync(1, `${module.UTF8ToString(module.ccall("tutorial_answer", "number", [], []))}\n`);
  }
});
