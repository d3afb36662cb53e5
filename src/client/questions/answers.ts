import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { ClientCapabilities } from "@modelcontextprotocol/client";
import type { ServerSettings } from "../../config/config.ts";
import type { Elicitation, ElicitationReply } from "../../core/forms/elicitation.ts";
import { type Choice, type FormField, readForm, toFormSchema } from "../../core/forms/form.ts";
import { findValueProblem, getDefaultValue } from "../../core/forms/form-value.ts";
import type { Sample, SamplingReply, SamplingRequest } from "../../core/model/sampling.ts";
import type { CallingHost } from "../../core/tools/calling-host.ts";
import { pageType } from "../../core/tools/tool-pages.ts";
import { createSemaphore } from "../../kit/async/semaphore.ts";
import { waitAbortable } from "../../kit/async/timeout.ts";
import { toDuetError } from "../../kit/errors.ts";
import { getOwnValue, isRecord, type JsonObject } from "../../kit/json.ts";
import { type Redact, redactValue } from "../../kit/text/redact.ts";
import { sanitize, toShortLine } from "../../kit/text/sanitize.ts";
import { truncate } from "../../kit/text/truncate.ts";
import type { AnswerContext, RequestingServer } from "./active-calls.ts";
import { badRequestError, notNowError, RequestRefusedError, unknownMethodError } from "./request-refusal.ts";

/**
 * Returns the capabilities announced to a server. Elicitation is always announced: whether a user can be asked depends on the
 * caller, and a question that cannot be asked is refused at once.
 */
export function toClientCapabilities(
  settings: Pick<ServerSettings, "sampling" | "roots" | "hostRoots">,
  { canSample, passesOn }: { canSample: boolean; passesOn?: boolean | undefined },
): ClientCapabilities {
  return {
    elicitation: { form: {}, url: {} },
    ...(settings.sampling && canSample ? { sampling: {} } : {}),
    ...(settings.hostRoots && passesOn ? { roots: { listChanged: true } } : settings.roots ? { roots: {} } : {}),
    // Servers offer their pages only to a client that says that it shows them (MCP Apps).
    ...(passesOn ? { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [pageType] } } } : {}),
  };
}

export interface AnswerOptions {
  settings: Pick<ServerSettings, "name" | "sampling" | "roots" | "hostRoots">;
  /** Is undefined when none of our models serves sampling requests. */
  sample: Sample | undefined;
  redact: Redact;
  /** Returns the directories of the hosts; absent where there are none to tell of. */
  hostRoots?: (() => readonly HostRoot[]) | undefined;
}

/** Represents a directory of a host, as MCP's `roots/list` gives it. */
export interface HostRoot {
  uri: string;
  name?: string | undefined;
}

/** Returns true when a request of this method asks a person. */
export function isElicitation(method: string): boolean {
  return method === "elicitation/create";
}

/** Gives the result of a server's request; rejects with an error with JSON-RPC's `code`, or with the signal's reason. */
export type Answers = (method: string, params: unknown, context: AnswerContext) => Promise<Record<string, unknown>>;

/** Answers the questions of one server, of all its connections: it counts what it has had written. */
export function createAnswers({ settings, sample, redact, hostRoots }: AnswerOptions): Answers {
  const { roots } = settings;
  const asking = { from: settings.name, redact };
  const answerSampling = settings.sampling && sample ? createSampling(asking, sample) : undefined;
  return async (method, params, context) => {
    context.signal.throwIfAborted();
    if (isElicitation(method)) return answerElicitation(asking, params, context);
    if (method === "sampling/createMessage" && answerSampling) return answerSampling(params, context);
    if (method === "roots/list" && settings.hostRoots && hostRoots) return { roots: [...hostRoots()] };
    if (method === "roots/list" && roots) return listRoots(roots);
    throw unknownMethodError(`${JSON.stringify(method.slice(0, 100))} is not offered to this server`);
  };
}

/** Directories as MCP's `roots/list` gives them; the paths are absolute. */
export function listRoots(directories: readonly string[]): { roots: { uri: string; name: string }[] } {
  const roots = directories.map((path) => ({ uri: pathToFileURL(path).href, name: basename(path) || path }));
  return { roots };
}

/** Limits a server's sampling requests; lengths are in UTF-16 units. */
const samplingLimits = { perMinute: 5, messages: 50, characters: 100_000, outputTokens: 4000 };

type SampleByHost = NonNullable<CallingHost["sample"]>;

/**
 * Answers `sampling/createMessage` of one server, one after the other, a few a minute: by the model of the host that has made the
 * call itself, where it has one for others, and else by ours, for which everything is a text.
 */
export function createSampling(asking: RequestingServer, sample: Sample) {
  const turn = createSemaphore(1);
  const starts: number[] = [];

  function count(): void {
    const now = performance.now();
    while (starts.length > 0 && now - (starts[0] ?? 0) > 60_000) starts.shift();
    if (starts.length >= samplingLimits.perMinute)
      throw notNowError(`At most ${samplingLimits.perMinute} texts a minute are written for a server`);
    starts.push(now);
  }

  async function askHost(sampleByHost: SampleByHost, params: unknown, { signal, tell }: AnswerContext) {
    const written = await waitAbortable(sampleByHost(toHostRequest(asking, params), signal), signal);
    if (written === undefined) throw notNowError("The host has not written the text");
    tell?.("sampling", describeHostText(asking));
    return written;
  }

  return async (params: unknown, context: AnswerContext): Promise<Record<string, unknown>> => {
    const { signal, tell, billing, host } = context;
    const request = readSamplingRequest(asking, params);
    count();
    await turn.acquire(signal);
    try {
      if (host?.sample) return await askHost(host.sample, params, context);
      const reply = await waitAbortable(sample({ ...request, billing }, signal), signal);
      tell?.("sampling", describeBill(asking, reply));
      return toSamplingResult(reply);
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof RequestRefusedError) throw thrown;
      tell?.("sampling-failed", describeFailure(asking, thrown));
      // Not why: that may name our provider, and is none of the server's business.
      throw notNowError("The model has not written the text", thrown);
    } finally {
      turn.release();
    }
  };
}

function readSamplingRequest({ from, redact }: RequestingServer, params: unknown): SamplingRequest {
  if (!isRecord(params) || !Array.isArray(params.messages))
    throw badRequestError("A request for a text needs messages");
  const { messages, systemPrompt, maxTokens, tools, toolChoice } = params;
  if (tools !== undefined || toolChoice !== undefined) throw badRequestError("Tools are not supported here");
  if (systemPrompt !== undefined && typeof systemPrompt !== "string")
    throw badRequestError("systemPrompt must be a string");
  if (!Number.isInteger(maxTokens) || Number(maxTokens) < 1)
    throw badRequestError("maxTokens must be a whole number of at least 1");
  if (messages.length === 0 || messages.length > samplingLimits.messages)
    throw badRequestError(`A request for a text has 1 to ${samplingLimits.messages} messages`);
  const read = messages.map(readMessage);
  if (read[0]?.role !== "user" || read.at(-1)?.role !== "user")
    throw badRequestError("The first and the last message are the user's");
  const length = read.reduce((sum, { text }) => sum + text.length, systemPrompt?.length ?? 0);
  if (length > samplingLimits.characters)
    throw badRequestError(`A request for a text has at most ${samplingLimits.characters} characters`);
  return {
    from,
    system: systemPrompt && redact(systemPrompt),
    messages: read.map(({ role, text }) => ({ role, text: redact(text) })),
    maxTokens: Math.min(Number(maxTokens), samplingLimits.outputTokens),
  };
}

/** Returns what a host is asked: a request that has been read before, with nothing in it that concerns other servers. */
function toHostRequest({ redact }: RequestingServer, params: unknown): Record<string, unknown> {
  const { messages, systemPrompt, maxTokens, temperature, stopSequences, modelPreferences } = isRecord(params)
    ? params
    : {};
  const limited = Math.min(Number(maxTokens), samplingLimits.outputTokens);
  return redactValue(
    { messages, systemPrompt, maxTokens: limited, temperature, stopSequences, modelPreferences },
    redact,
  );
}

function readMessage(message: unknown): SamplingRequest["messages"][number] {
  const { role, content } = isRecord(message) ? message : {};
  if (role !== "user" && role !== "assistant") throw badRequestError('The role of a message is "user" or "assistant"');
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  return { role, text: blocks.map(readBlock).join("\n").toWellFormed() };
}

/** Replaces content that the model cannot be shown by a description of it. */
function readBlock(block: unknown): string {
  const { type, text, mimeType } = isRecord(block) ? block : {};
  if (type === "text" && typeof text === "string") return text;
  if (type === "image" || type === "audio") return `[${type}: ${String(mimeType).slice(0, 100)}]`;
  throw badRequestError("A message is made of texts");
}

function toSamplingResult({ text, model, finish }: SamplingReply): Record<string, unknown> {
  const stopReason = finish === "length" ? "maxTokens" : "endTurn";
  return { role: "assistant", content: { type: "text", text }, model, stopReason };
}

function describeBill({ from }: RequestingServer, { model, tokens, costUsd }: SamplingReply) {
  const cost = costUsd === null ? "" : ` · $${costUsd.toFixed(4)}`;
  return {
    zh: `${model} 为 MCP 服务器 ${from} 写了一段文本 · ${tokens} token${cost}`,
    en: `${model} has written a text for the MCP server ${from} · ${tokens} tokens${cost}`,
  };
}

function describeHostText({ from }: RequestingServer) {
  return {
    zh: `宿主的模型为 MCP 服务器 ${from} 写了一段文本`,
    en: `The host's model has written a text for the MCP server ${from}`,
  };
}

function describeFailure({ from }: RequestingServer, thrown: unknown) {
  const { text } = toDuetError(thrown);
  return {
    zh: `MCP 服务器 ${from} 要的一段文本没有写成：${text.zh}`,
    en: `The text requested by the MCP server ${from} was not written: ${text.en}`,
  };
}

/** Limits a message, in UTF-16 units. */
const longestMessage = 4000;

/**
 * Answers `elicitation/create`. A person alone says yes, no or `cancel`; what a form gets back fits its schema. Rejects with the
 * reason when no person has replied: a server takes `cancel` for a person's word.
 */
export async function answerElicitation(
  asking: RequestingServer,
  params: unknown,
  { ask, signal }: Pick<AnswerContext, "ask" | "signal">,
): Promise<Record<string, unknown>> {
  const { question, fields } = readQuestion(asking, params);
  if (ask === undefined) throw notNowError("There is no user who can be asked now");
  const reply = await waitAbortable(ask(question, signal), signal);
  if (reply === undefined) throw notNowError("No user could be asked, or none replied in time");
  if (reply.action !== "accept" || fields === undefined) return { action: reply.action };
  return { action: "accept", content: toContent(fields, reply) };
}

/** Reads a server's question, and throws where it may not be asked. Returns `fields` only for a form. */
export function readQuestion(
  asking: RequestingServer,
  params: unknown,
): { question: Elicitation; fields?: FormField[] } {
  if (!isRecord(params)) throw badRequestError("A question needs params");
  const { mode = "form", message, requestedSchema, url } = params;
  if (typeof message !== "string") throw badRequestError("A question needs a message");
  const words = { from: asking.from, message: clean(asking, message) };
  if (mode === "url") return { question: { kind: "url", ...words, url: readPage(asking, url) } };
  if (mode !== "form") throw badRequestError('The mode of a question is "form" or "url"');
  const written = isRecord(requestedSchema) ? readForm(requestedSchema) : undefined;
  if (written === undefined)
    throw badRequestError("requestedSchema is a flat object of texts, numbers, booleans and choices of texts");
  const fields = cleanFields(written, asking.redact);
  return { question: { kind: "form", ...words, schema: toFormSchema(fields) }, fields };
}

/**
 * Rejects an address that holds a secret of the server, because it would hand the secret to the user and their browser history.
 */
function readPage({ redact }: RequestingServer, address: unknown): string {
  const url = readPageAddress(address);
  if (redact(url) !== url) throw badRequestError("url holds a secret of this server's configuration");
  return url;
}

function clean({ redact }: RequestingServer, message: string): string {
  // What is cut away need not be cleaned first.
  return truncate(sanitize(redact(message.slice(0, 4 * longestMessage))), longestMessage).trim();
}

/** Builds the content field by field, so that nothing is sent that was not asked for. */
function toContent(
  fields: readonly FormField[],
  { content = {} }: ElicitationReply & { action: "accept" },
): JsonObject {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = getOwnValue(content, field.name) ?? getDefaultValue(field);
      if (value === undefined && !field.required) return [];
      const problem = findValueProblem(field, value);
      // Not the value itself: it is a person's, and meant to fit.
      if (problem)
        throw notNowError(`The reply does not fit the form: ${JSON.stringify(field.name)} must be ${problem.en}`);
      return [[field.name, value ?? null]];
    }),
  );
}

const longestAddress = 4000;

/**
 * Reads the address of a page that a user is to open: `https`, or `http` on this machine; without a user name, which could pass
 * for the host. The result is spelled as the browser reads it, so that a host in foreign letters shows its real spelling.
 */
export function readPageAddress(address: unknown): string {
  if (typeof address !== "string" || address.length > longestAddress || !URL.canParse(address))
    throw badRequestError(`url is an address of at most ${longestAddress} characters`);
  const url = new URL(address);
  const isOpen = url.protocol === "https:" || (url.protocol === "http:" && isThisMachine(url.hostname));
  if (!isOpen) throw badRequestError("url begins with https:, or with http: on this machine");
  if (url.username !== "" || url.password !== "") throw badRequestError("url holds no user name and no password");
  return url.href;
}

/** The host is written as `URL` writes it. */
function isThisMachine(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Limits a form; lengths are in UTF-16 units. */
const formLimits = { fields: 50, choices: 500, name: 200, value: 1000, title: 200, description: 1000 };

/**
 * Cleans the fields so that their texts are safe to show and hold none of the server's secrets. Names and values go back to the
 * server, so they are not changed: a form with a secret in one of them is refused, and a default that holds one is dropped.
 */
export function cleanFields(fields: readonly FormField[], redact: Redact): FormField[] {
  if (fields.length > formLimits.fields) throw badRequestError(`A form has at most ${formLimits.fields} fields`);
  const choices = fields.flatMap((field) => ("choices" in field ? field.choices : []));
  if (choices.length > formLimits.choices) throw badRequestError(`A form has at most ${formLimits.choices} choices`);
  const values = choices.map(({ value }) => value);
  if (
    fields.some(({ name }) => name.length > formLimits.name) ||
    values.some((value) => value.length > formLimits.value)
  )
    throw badRequestError(`Names in a form have at most ${formLimits.name} characters, values ${formLimits.value}`);
  const hasSecret = (text: string): boolean => redact(text) !== text;
  if ([...fields.map(({ name }) => name), ...values].some(hasSecret))
    throw badRequestError("A form must not hold secrets of the server");
  const toWords = (text: string, length: number): string => toShortLine(redact(text), length);
  const toTitledChoice = ({ value, title }: Choice): Choice => ({
    value,
    title: toWords(title, formLimits.title),
  });
  return fields.map((field): FormField => {
    const { title, description } = field;
    const clean = {
      title: title && toWords(title, formLimits.title),
      description: description && toWords(description, formLimits.description),
    };
    const keepsDefault = getDefaultValue(field) !== undefined && !hasSecret(JSON.stringify(field.default));
    const chosen = keepsDefault ? {} : { default: undefined };
    if ("choices" in field) return { ...field, ...clean, ...chosen, choices: field.choices.map(toTitledChoice) };
    return { ...field, ...clean, ...chosen };
  });
}
