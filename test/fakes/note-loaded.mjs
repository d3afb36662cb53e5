// Loaded into a program by `--import`: notes in the file of its query which modules are loaded, a line each, until something is
// written to stdout.
import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";

const file = new URL(import.meta.url).searchParams.get("file");
const { write } = process.stdout;
let isOver = false;

registerHooks({
  load(url, context, next) {
    if (!isOver) appendFileSync(file, `${url}\n`);
    return next(url, context);
  },
});
process.stdout.write = function writeAndEnd(...given) {
  isOver = true;
  return write.apply(this, given);
};
