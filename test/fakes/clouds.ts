// Clouds that sell others' models. Each checks the address and who asks, as its vendor does, and lets the fake provider answer.
import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { crc32 } from "node:zlib";
import { onTestFinished } from "vitest";
import { readStreamData } from "./event-stream.ts";
import type { FakeProvider } from "./provider.ts";

export interface CloudRequest {
  path: string;
  headers: IncomingMessage["headers"];
  body: Record<string, unknown>;
  /** The body as it came. */
  written: string;
}

export interface FakeCloud {
  url: string;
  journal: CloudRequest[];
}

/** Says where a request goes at the provider, or refuses it. */
type Judge = (asked: CloudRequest) => { path: string; body: object } | { status: number; message: string };

async function startCloud(provider: FakeProvider, judge: Judge, write: typeof pipe = pipe): Promise<FakeCloud> {
  const journal: CloudRequest[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const written = await text(incoming);
    const { url: path = "", headers } = incoming;
    const body = headers["content-type"] === "application/json" ? JSON.parse(written) : {};
    const asked = { path, headers, body, written };
    journal.push(asked);
    const verdict = incoming.url === "/token" ? tokens : judge(asked);
    if ("token" in verdict) return void outgoing.writeHead(200, json).end(JSON.stringify(verdict.token));
    if ("status" in verdict) {
      return void outgoing.writeHead(verdict.status, json).end(JSON.stringify({ message: verdict.message }));
    }
    const more = { ...json, authorization: "Bearer of-the-cloud", "anthropic-version": "2023-06-01" };
    const further = request(new URL(verdict.path, provider.url), { method: "POST", headers: more }, (answer) =>
      write(answer, outgoing),
    );
    further.end(JSON.stringify(verdict.body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`, journal };
}

const json = { "content-type": "application/json" };
/** Google's answer to whoever exchanges a credential; see `startVertex`. */
const tokens = { token: { access_token: "exchanged-token", token_type: "Bearer", expires_in: 3600 } };

function pipe(answer: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
  answer.pipe(outgoing);
}

/** Azure OpenAI: deployments in the path, a version in the query, a key or a token of Entra. */
export function startAzure(provider: FakeProvider, access: { key?: string; token?: string }): Promise<FakeCloud> {
  return startCloud(provider, ({ path, headers, body }) => {
    const url = new URL(path, "http://azure");
    const isKnown =
      access.key === undefined
        ? headers.authorization === `Bearer ${access.token}` && headers["api-key"] === undefined
        : headers["api-key"] === access.key && headers.authorization === undefined;
    if (!isKnown) return { status: 401, message: "Access denied due to invalid subscription key" };
    if (!url.searchParams.get("api-version")) return { status: 404, message: "Resource not found" };
    if (url.pathname === "/openai/responses") return { path: "/v1/responses", body };
    const [, deployment] = /^\/openai\/deployments\/([^/]+)\/chat\/completions$/.exec(url.pathname) ?? [];
    if (deployment === undefined) return { status: 404, message: "Resource not found" };
    return { path: "/v1/chat/completions", body: { ...body, model: deployment } };
  });
}

/** Vertex AI: projects and regions in the path, and a token of Google. It also exchanges credentials for one, at `/token`. */
export function startVertex(provider: FakeProvider, token: string): Promise<FakeCloud> {
  return startCloud(provider, ({ path, headers, body }) => {
    if (headers.authorization !== `Bearer ${token}`) return { status: 401, message: "Request had invalid credentials" };
    const [, model] =
      /^\/v1\/projects\/my-project\/locations\/europe-west1\/publishers\/anthropic\/models\/([^/]+):streamRawPredict(?:\?|$)/.exec(
        path,
      ) ?? [];
    const { anthropic_version: version, ...rest } = body;
    if (model === undefined || "model" in body) return { status: 404, message: `not found: ${path}` };
    if (version !== "vertex-2023-10-16") return { status: 400, message: `anthropic_version: ${version}` };
    return { path: "/v1/messages", body: { ...rest, model: decodeURIComponent(model), stream: true } };
  });
}

export interface AwsKeys {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** Bedrock: a signature over the request or a bearer token, and a stream in frames of its own. */
export function startBedrock(provider: FakeProvider, access: { keys?: AwsKeys; token?: string }): Promise<FakeCloud> {
  const judge: Judge = (asked) => {
    const problem = access.keys
      ? checkSignature(asked, access.keys)
      : asked.headers.authorization === `Bearer ${access.token}`
        ? undefined
        : "wrong token";
    if (problem !== undefined) return { status: 403, message: problem };
    const [, model] = /^\/model\/([^/]+)\/invoke-with-response-stream(?:\?|$)/.exec(asked.path) ?? [];
    const { anthropic_version: version, ...rest } = asked.body;
    if (model === undefined || "model" in rest || "stream" in rest) return { status: 404, message: asked.path };
    if (version !== "bedrock-2023-05-31") return { status: 400, message: `anthropic_version: ${version}` };
    const plain = decodeURIComponent(model).replace(/^(?:[a-z]+\.)?anthropic\./, "");
    return { path: "/v1/messages", body: { ...rest, model: plain, stream: true } };
  };
  return startCloud(provider, judge, toFrames);
}

/** Recomputes a signature (docs.aws.amazon.com, "Create a signed AWS API request"); gives what is wrong with it. */
function checkSignature(
  { path, headers, written }: CloudRequest,
  { accessKeyId, secretAccessKey, sessionToken }: AwsKeys,
): string | undefined {
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d+)\/([\w-]+)\/bedrock\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/;
  const [, id, date = "", region = "", names = "", signature] = parts.exec(headers.authorization ?? "") ?? [];
  if (id !== accessKeyId) return `The security token included in the request is invalid (${headers.authorization})`;
  if (region !== "eu-central-1") return `wrong region ${region}`;
  if (headers["x-amz-security-token"] !== sessionToken) return "wrong session token";
  const url = new URL(path, "http://aws");
  const lines = [
    "POST",
    // Each segment is encoded once more than it stands in the request.
    url.pathname.split("/").map(encodeURIComponent).join("/"),
    [...url.searchParams]
      .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
      .sort()
      .join("&"),
    ...names.split(";").map((name) => `${name}:${String(headers[name]).trim()}`),
    "",
    names,
    hash(written),
  ];
  const scope = `${date}/${region}/bedrock/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hash(lines.join("\n"))].join("\n");
  const key = [date, region, "bedrock", "aws4_request"].reduce<string | Buffer>(sign, `AWS4${secretAccessKey}`);
  return sign(key, toSign).toString("hex") === signature
    ? undefined
    : "The request signature we calculated does not match";
}

const hash = (written: string): string => createHash("sha256").update(written).digest("hex");
const sign = (key: string | Buffer, written: string): Buffer => createHmac("sha256", key).update(written).digest();

/** Sends each event of the provider's stream as a frame, in pieces that no frame fits. */
async function toFrames(answer: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const written = await text(answer);
  if (answer.statusCode !== 200) return void outgoing.writeHead(answer.statusCode ?? 502, json).end(written);
  outgoing.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" });
  const data = readStreamData(written);
  const frames = Buffer.concat(data.map((line) => toFrame({ bytes: Buffer.from(line).toString("base64") })));
  for (let at = 0; at < frames.length; at += 97) outgoing.write(frames.subarray(at, at + 97));
  outgoing.end();
}

/** A message of AWS's event stream encoding (`application/vnd.amazon.eventstream`). */
export function toFrame(payload: object, kind = ":event-type", name = "chunk"): Buffer {
  const type = kind === ":event-type" ? "event" : "exception";
  const headers = Buffer.concat(
    Object.entries({ ":message-type": type, [kind]: name, ":content-type": "application/json" }).map(([key, value]) =>
      Buffer.concat([
        Buffer.from([key.length]),
        Buffer.from(key),
        Buffer.from([7, 0, value.length]),
        Buffer.from(value),
      ]),
    ),
  );
  const body = Buffer.from(JSON.stringify(payload));
  const length = headers.length + body.length + 16;
  const head = Buffer.concat([toBytes(length), toBytes(headers.length)]);
  const whole = Buffer.concat([head, toBytes(crc32(head)), headers, body]);
  return Buffer.concat([whole, toBytes(crc32(whole))]);
}

function toBytes(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number >>> 0);
  return bytes;
}
