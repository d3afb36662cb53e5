// The floor on the command line: one question, the answer on stdout as it comes. `node ask.mjs MODEL_URL TOOL_SERVER QUESTION`.
import { openFloor } from "./loop.mjs";

const [url, toolServer, question] = process.argv.slice(2);
const { ask, close } = await openFloor(url, { command: process.execPath, args: [toolServer] });
await ask(question, (text) => process.stdout.write(text));
process.stdout.write("\n");
await close();
