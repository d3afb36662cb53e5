// The scripted model below the agents that `agents.mjs` asks through Duet: one model on all wires.
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

const wires = await Promise.all(
  readdirSync(join(import.meta.dirname, "wires")).map((file) => import(`./wires/${file}`)),
);

/** Stands at the beginning of each task, and in no request that an agent makes for itself. */
export const taskMark = "interop-task";

/** Starts the model. `begin` says which shell tool the agent has and what it is to run. */
export async function startAgentModel() {
  let seen;

  function begin({ shell, command }) {
    const { promise: hanging, resolve: hang } = Promise.withResolvers();
    const { promise: closed, resolve: close } = Promise.withResolvers();
    seen = { shell, command, hanging, hang, closed, close, requests: 0, tools: [] };
    return seen;
  }

  function answer(url, text, response) {
    const own = seen;
    const body = JSON.parse(text);
    const wire = wires.find((candidate) => candidate.matches(url));
    if (wire === undefined) {
      response.writeHead(200, { "content-type": "application/json" });
      return response.end(
        JSON.stringify({ totalTokens: 10, object: "list", data: [{ id: "scripted", object: "model" }] }),
      );
    }
    own.requests++;
    const id = `call-${own.requests}-${Date.now()}`;
    const task = text.slice(text.lastIndexOf(taskMark)).split(/["\\\s]/)[1];
    const tools = wire.readTools(body);
    // What an agent asks for itself, such as a title.
    if (!text.includes(taskMark) || tools.length === 0) return wire.write(response, body, { text: "A task" }, id, url);
    own.tools = tools.map(({ name }) => name);
    if (task === "hang") {
      response.on("close", () => own.close());
      return own.hang();
    }
    const call = task === "run" && wire.readResults(body).length === 0 ? chooseCall(own, tools) : undefined;
    wire.write(response, body, call ? { call } : { text: describe(task, text, wire.readResults(body)) }, id, url);
  }

  const server = createServer(async (request, response) => {
    response.on("error", () => {});
    let text = "";
    for await (const piece of request) text += piece;
    answer(request.url, text === "" ? "{}" : text, response);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { address: `http://127.0.0.1:${server.address().port}`, begin, close };
}

function chooseCall({ shell, command }, tools) {
  const tool = tools.find(({ name }) => new RegExp(`^(?:${shell.name})$`).test(name));
  return tool && { ...tool, args: shell.args(command) };
}

/** Says what reached the model. */
function describe(task, text, results) {
  if (task === "run") return `The command was answered: ${results.join(" ").slice(0, 300) || "there is no shell"}`;
  const word = /WORD-[0-9a-f]{8}/.exec(text)?.[0];
  return task === "recall" ? `The word was ${word ?? "not told"}.` : `The answer to ${task} is 42.`;
}
