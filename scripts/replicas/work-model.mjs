// A model on OpenAI's chat wire that asks for as many calls as the question says, one after another, and then answers in pieces. Each third
// call only reads; all others must not be made twice. And the tools that it calls, which write what they do to a file.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const words = 30;
const wordMs = 20;
const callMs = 150;

/** Returns the question of which the model knows what to do. */
export function toWorkQuestion(name, calls) {
  return `Do the work of ${name} in ${calls} calls.`;
}

/** Starts the model; the URL is the one of its provider. */
export async function startWorkModel() {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const { messages } = JSON.parse(body);
    const question = messages.findLast(({ role }) => role === "user")?.content ?? "";
    const [, name = "none", calls = "0"] =
      /Do the work of ([\w-]+) in (\d+) calls/.exec(JSON.stringify(question)) ?? [];
    const done = messages.filter(({ role }) => role === "tool").length;
    response.on("error", () => {});
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (delta, finish = null) =>
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
    await sleep(callMs);
    if (done < Number(calls)) {
      const call = { name: done % 3 === 2 ? "look" : "work", arguments: JSON.stringify({ id: `${name}.${done}` }) };
      send({ tool_calls: [{ index: 0, id: `call_${done}`, type: "function", function: call }] });
      send({}, "tool_calls");
    } else {
      for (let word = 0; word < words; word++) {
        send({ content: `${name}-${word} ` });
        await sleep(wordMs);
      }
      send({}, "stop");
    }
    response.end("data: [DONE]\n\n");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Writes the tools into a folder. What they do is what `readCalls` returns. */
export async function writeWorkTools(folder, log) {
  await mkdir(folder, { recursive: true });
  await writeFile(log, "");
  for (const [name, annotations] of Object.entries({ work: {}, look: { readOnly: true, idempotent: true } }))
    await writeFile(
      join(folder, `${name}.mjs`),
      `import { appendFileSync } from "node:fs";
export default {
  name: ${JSON.stringify(name)},
  description: "Does a part of the work.",
  inputSchema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
  annotations: ${JSON.stringify(annotations)},
  async run({ id }) {
    appendFileSync(${JSON.stringify(log)}, "begin ${name} " + id + "\\n");
    await new Promise((resolve) => setTimeout(resolve, ${callMs}));
    appendFileSync(${JSON.stringify(log)}, "end ${name} " + id + "\\n");
    return "The part " + id + " of the work is done, as it was asked for.";
  },
};\n`,
    );
}

/** Reads what the tools did: how often each call was begun and ended, by the ID that it was given. */
export async function readCalls(log) {
  const calls = new Map();
  for (const line of (await readFile(log, "utf8")).split("\n").filter(Boolean)) {
    const [what, tool, id] = line.split(" ");
    const call = calls.get(id) ?? { tool, begun: 0, ended: 0 };
    if (what === "begin") call.begun += 1;
    else call.ended += 1;
    calls.set(id, call);
  }
  return calls;
}
