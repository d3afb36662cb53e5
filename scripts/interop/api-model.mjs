// The scripted model below Duet for the clients of its model APIs. What it answers shows what reached it of the client's request.
import { createServer } from "node:http";

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** What the client's tool returns begins with this, so that the model finds it in whatever a client puts around it. */
export const secretPattern = /SECRET-[0-9a-f]{8}/;

/** The model that streams answers; all others decide. */
export const answerModel = "scripted-answer";

/** What the model answers, from the request that reached it. */
const answers = {
  cancel: () => "There is enough.",
  plain: (_, secret) => `The answer is ${secret}, in words of one model.`,
  stream: (_, secret) => `The answer is ${secret}, in words of one model.`,
  tools: (body) => `The tool says ${findSecret(body) ?? "nothing"}, so this is the answer.`,
  images: (body, secret) => (hasImage(body) ? `I see ${secret} in it.` : "There is no image."),
  schema: (body, secret) => JSON.stringify(asksForDegrees(body) ? { city: secret, degrees: 18 } : { nothing: true }),
};

const isAsked = (body) => JSON.stringify(body.messages).includes(questionMark);
const hasImage = (body) => JSON.stringify(body.messages).includes("data:image/png;base64,");
const asksForDegrees = (body) => JSON.stringify(body).includes("degrees");
const resultsOf = ({ messages }) => messages.filter(({ role }) => role === "tool");
const findSecret = ({ messages }) => secretPattern.exec(JSON.stringify(messages))?.[0];

/** Stands in every question, and in no request that a program makes for itself. */
const questionMark = "What is 6 times 7?";

/** The same question in one scenario, and no two scenarios with the same. */
export const toQuestion = (scenario) => `${questionMark} (${scenario})`;

/** Starts the model. `begin` resets what was seen; `calls` has, for each scenario, the client's tools that it calls one after the other. */
export async function startApiModel() {
  let seen;

  function begin({ scenario, secret, calls }) {
    const { promise: started, resolve: start } = Promise.withResolvers();
    const { promise: ended, resolve: end } = Promise.withResolvers();
    seen = { scenario, secret, calls, started, start, ended, end, requests: [], startedAt: 0, closedAt: 0 };
    return seen;
  }

  async function answer(body, response) {
    const own = seen;
    const { scenario, secret } = own;
    const isOwn = isAsked(body);
    own.requests.push({ isOwn, tools: body.tools?.length ?? 0 });
    if (!isOwn) return write(response, body, { text: "A small task" });
    if (scenario === "errors") return refuse(response);
    if (scenario === "cancel" && body.model === answerModel) return dawdle(response, own);
    const call = chooseCall(body, own.calls[scenario] ?? []);
    await write(response, body, call ? { call, id: own.requests.length } : { text: answers[scenario](body, secret) });
  }

  const waits = {
    "/interop/started": async () => {
      await seen.started;
      seen.startedAt = Date.now();
    },
    "/interop/ended": () => Promise.race([seen.ended, pause(20_000)]),
  };

  const server = createServer(async (request, response) => {
    response.on("error", () => {});
    const wait = waits[request.url];
    if (wait) {
      await wait();
      return response.end();
    }
    let text = "";
    for await (const piece of request) text += piece;
    if (text === "") return writeJson(response, 200, { object: "list", data: [{ id: "scripted", object: "model" }] });
    await answer(JSON.parse(text), response);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { address: `http://127.0.0.1:${server.address().port}`, begin, close };
}

/** Returns the next of the client's tools that is to be called, under the name that it has in this request. */
function chooseCall(body, calls) {
  const next = calls[resultsOf(body).length];
  const tool = next && body.tools?.find(({ function: { name } }) => new RegExp(`^(?:${next.name})$`).test(name));
  return tool && { name: tool.function.name, arguments: JSON.stringify(next.args) };
}

/** No vendor is asked again after this one. */
function refuse(response) {
  writeJson(response, 402, {
    error: { message: "Insufficient Balance", type: "unknown_error", code: "invalid_request" },
  });
}

/** Answers for more than three minutes. */
async function dawdle(response, own) {
  response.on("close", () => {
    own.closedAt = Date.now();
    own.end();
  });
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (let index = 0; index < 4000 && !response.destroyed; index++) {
    writeChunk(response, { content: `w${index} ` });
    if (index === 2) own.start();
    await pause(50);
  }
  response.end();
}

async function write(response, { stream }, { text, call, id }) {
  const tool_calls = call && [{ index: 0, id: `call_${id}`, type: "function", function: call }];
  const finish_reason = call ? "tool_calls" : "stop";
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  if (!stream) {
    const message = { role: "assistant", content: text ?? null, tool_calls };
    return writeJson(response, 200, {
      ...frame,
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason }],
      usage,
    });
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (call) writeChunk(response, { tool_calls });
  for (const word of text?.split(/(?<= )/) ?? []) {
    writeChunk(response, { content: word });
    await pause(5);
  }
  writeChunk(response, {}, finish_reason);
  response.end(`data: ${JSON.stringify({ ...frame, choices: [], usage })}\n\ndata: [DONE]\n\n`);
}

const frame = { id: "c", object: "chat.completion.chunk", created: 1, model: "scripted" };

function writeChunk(response, delta, finish_reason = null) {
  response.write(`data: ${JSON.stringify({ ...frame, choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
}

function writeJson(response, status, value) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}
