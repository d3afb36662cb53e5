// Reads what a tap wrote down, or what passed the relay to Duet's HTTP server.
import { existsSync, readFileSync } from "node:fs";
import { createServer, request as sendRequest } from "node:http";

export function readTap(file) {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** Passes requests on to `port` and writes down the messages in both directions, and of each exchange what was asked and its status. */
export async function startRelay(port) {
  const records = [];
  const exchanges = [];
  const add = (direction, text) => {
    try {
      records.push(...[JSON.parse(text)].flat().map((message) => ({ at: Date.now(), direction, message })));
    } catch {
      // Only whole messages count.
    }
  };
  const server = createServer((request, response) => {
    const { url, method, headers } = request;
    const onward = sendRequest({
      host: "127.0.0.1",
      port,
      path: url,
      method,
      headers: { ...headers, host: `127.0.0.1:${port}` },
    });
    const exchange = { method, path: url.split("?")[0], asked: "", answered: "" };
    exchanges.push(exchange);
    const askedText = new TextDecoder();
    request.on("data", (bytes) => {
      exchange.asked += askedText.decode(bytes, { stream: true });
      onward.write(bytes);
    });
    request.on("end", () => {
      add("in", exchange.asked);
      onward.end();
    });
    onward.on("response", (answer) => {
      Object.assign(exchange, { status: answer.statusCode, runId: answer.headers["x-request-id"] });
      response.writeHead(answer.statusCode, answer.headers);
      response.flushHeaders();
      let rest = "";
      const answeredText = new TextDecoder();
      answer.on("data", (bytes) => {
        response.write(bytes);
        const text = answeredText.decode(bytes, { stream: true });
        exchange.answered += text;
        rest += text;
        const lines = rest.split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (line.startsWith("data:")) add("out", line.slice(5));
      });
      answer.on("end", () => {
        add("out", rest);
        response.end();
      });
      answer.on("error", () => response.destroy());
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    response.on("error", () => {});
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return { origin, url: `${origin}/mcp`, records, exchanges, close: () => server.close() };
}

/** Draws from the messages what a client sent about itself, and what it was sent. */
export function describeWire(records) {
  const sent = records.filter(({ direction }) => direction === "in").map(({ message }) => message);
  const received = records.filter(({ direction }) => direction === "out").map(({ message }) => message);
  const initialize = sent.find(({ method }) => method === "initialize");
  const list = sent.find(({ method }) => method === "tools/list");
  const listed = received.find(({ id, result }) => id === list?.id && result?.tools)?.result;
  const calls = sent.filter(({ method }) => method === "tools/call");
  const metas = sent.map(({ params }) => params?._meta ?? {});
  const readMeta = (name) => metas.map((meta) => meta[`io.modelcontextprotocol/${name}`]).find(Boolean);
  const capabilities = initialize?.params?.capabilities ?? readMeta("clientCapabilities") ?? {};
  const version = received.find(({ id, result }) => id === initialize?.id && result?.protocolVersion)?.result
    .protocolVersion;
  return {
    client: initialize?.params?.clientInfo ?? readMeta("clientInfo"),
    protocol: readMeta("protocolVersion") ?? version,
    tools: listed?.tools.map(({ name }) => name),
    listBytes: listed && Buffer.byteLength(JSON.stringify(listed)),
    asksForProgress: calls.some(({ params }) => params?._meta?.progressToken !== undefined),
    sendsCancel: sent.some(({ method }) => /^(?:notifications\/)?cancelled$/.test(method)),
    progressSent: received.filter(({ method }) => method === "notifications/progress").length,
    canElicit: capabilities.elicitation !== undefined,
    wasElicited: received.some(
      ({ method, result }) => method === "elicitation/create" || result?.resultType === "input_required",
    ),
    statuses: received.flatMap(({ result }) => result?.structuredContent?.status ?? []),
  };
}
