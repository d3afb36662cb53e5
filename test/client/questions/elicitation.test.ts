import { describe, expect, test } from "vitest";
import { createAnswers, toClientCapabilities } from "../../../src/client/questions/answers.ts";
import { createServerRedact } from "../../../src/client/redact.ts";
import type { Elicitation, ElicitationReply } from "../../../src/core/forms/elicitation.ts";
import { toKnownForm } from "../../../src/core/forms/form.ts";
import { everyField } from "../../fakes/mcp-questions.ts";
import { stdio } from "../servers.ts";

const settings = stdio("shop", "node", [], { env: { SHOP_KEY: "sk-SECRET-12345" } });
const answers = createAnswers({ settings, sample: undefined, redact: createServerRedact(settings) });
const signal = new AbortController().signal;

function form(requestedSchema: unknown, message = "Hello"): object {
  return { message, requestedSchema };
}

/** Asks somebody who replies so; gives what the server gets and what the person saw. */
async function put(params: unknown, reply: ElicitationReply | undefined) {
  const seen: Elicitation[] = [];
  const ask = async (question: Elicitation) => {
    seen.push(question);
    return reply;
  };
  const result = await answers("elicitation/create", params, { ask, signal });
  return { result, seen: seen[0] };
}

const refused = (params: unknown) => put(params, { action: "accept", content: {} });

test("questions to a person are always offered; texts and directories as the configuration says", () => {
  const elicitation = { form: {}, url: {} };
  expect(toClientCapabilities({ sampling: true }, { canSample: false })).toEqual({ elicitation });
  expect(toClientCapabilities({ sampling: false }, { canSample: true })).toEqual({ elicitation });
  const all = toClientCapabilities({ sampling: true, roots: ["/a"] }, { canSample: true });
  expect(all).toEqual({ elicitation, sampling: {}, roots: {} });
});

describe("a form", () => {
  test("is refused where nobody can be asked or has replied: a server takes a cancel for a person's word", async () => {
    const nobody = { code: -32603, message: "There is no user who can be asked now" };
    await expect(answers("elicitation/create", form(everyField), { signal })).rejects.toMatchObject(nobody);
    const unanswered = { code: -32603, message: "No user could be asked, or none replied in time" };
    await expect(put(form(everyField), undefined)).rejects.toMatchObject(unanswered);
  });

  test("reaches the person with the configured name of the server and the schema as the server wrote it", async () => {
    const { seen } = await put(form(everyField, "Who\u001b[2J goes?"), { action: "decline" });
    expect(seen).toMatchObject({ kind: "form", from: "shop", message: "Who\\u{1b}[2J goes?" });
    const { schema } = seen?.kind === "form" ? seen : { schema: {} };
    expect(JSON.parse(JSON.stringify(schema))).toEqual(everyField);
    // A host of an older revision knows one way of writing titles.
    const { properties } = JSON.parse(JSON.stringify(toKnownForm(schema, "2025-06-18")));
    const { oneOf, ...meal } = everyField.properties.meal;
    expect(properties).toEqual({
      ...everyField.properties,
      meal: { ...meal, enum: ["m1", "m2"], enumNames: ["Rice", "Noodles"] },
    });
    expect(toKnownForm(schema, "2025-11-25")).toBe(schema);
  });

  test.each(["decline", "cancel"] as const)("is answered with the person's %s and nothing else", async (action) => {
    expect((await put(form(everyField), { action })).result).toEqual({ action });
  });

  test("gets what fits it: defaults where a field was left out, nothing that it did not ask for", async () => {
    const content = { name: "Li Lei", meal: "m2", extras: ["bag"], passport: "E123" };
    const { result } = await put(form(everyField), { action: "accept", content });
    expect(result).toEqual({
      action: "accept",
      content: { name: "Li Lei", meal: "m2", extras: ["bag"], seats: 2, window: true, size: "l" },
    });
  });

  test.each([
    ["name", "L", "at least 2 characters"],
    ["name", undefined, "a text"],
    ["email", "li at example", "an e-mail address"],
    ["seats", 9, "8 or less"],
    ["seats", 1.5, "a whole number"],
    ["weight", "12", "a number"],
    ["window", "yes", "y or n"],
    ["meal", "Rice", "one of the choices"],
    ["extras", ["wifi", "bag"], "at most 1 choices"],
    ["extras", ["wifi", "wifi"], "each choice at most once"],
    ["extras", ["tv"], "one or more of the choices"],
  ])("is never sent with %s as %j", async (name, value, wanted) => {
    const content = JSON.parse(JSON.stringify({ name: "Li Lei", meal: "m1", [name]: value }));
    await expect(put(form(everyField), { action: "accept", content })).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining(`"${name}" must be ${wanted}`),
    });
  });

  test.each([
    ["no params", undefined],
    ["no message", { requestedSchema: everyField }],
    ["an unknown mode", { message: "x", mode: "video" }],
    ["no schema", { message: "x" }],
    ["a schema that is no object", form({ type: "string" })],
    ["a nested object", form({ type: "object", properties: { a: { type: "object", properties: {} } } })],
    ["a list of numbers", form({ type: "object", properties: { a: { type: "array", items: { type: "number" } } } })],
    ["choices that are no texts", form({ type: "object", properties: { a: { type: "string", enum: [1] } } })],
    ["a reference", form({ type: "object", properties: { a: { $ref: "#/$defs/A" } } })],
    ["51 fields", form({ type: "object", properties: numbered(51, () => ({ type: "string" })) })],
    ["a huge choice", form({ type: "object", properties: { a: { enum: ["x".repeat(1001)] } } })],
    ["its own secret as a choice", form({ type: "object", properties: { a: { enum: ["sk-SECRET-12345"] } } })],
  ])("with %s is refused as malformed", async (_, params) => {
    await expect(refused(params)).rejects.toMatchObject({ code: -32602 });
  });

  test("shows none of the server's secrets, and at most 4,000 characters of its message", async () => {
    const field = { type: "string", description: "key sk-SECRET-12345", default: "sk-SECRET-12345" };
    const schema = { type: "object", properties: { a: field } };
    const { seen } = await put(form(schema, `sk-SECRET-12345 ${"x".repeat(9000)}`), { action: "cancel" });
    expect(JSON.stringify(seen)).not.toContain("SECRET-12345");
    expect(seen?.message).toHaveLength(4000);
    expect(seen).toMatchObject({ schema: { properties: { a: { description: "key [redacted SHOP_KEY]" } } } });
  });

  test("may have optional fields as Pydantic writes them", async () => {
    const a = { anyOf: [{ type: "integer" }, { type: "null" }], default: null };
    const b = { type: ["string", "null"] };
    const { result } = await put(form({ type: "object", properties: { a, b } }), {
      action: "accept",
      content: { a: 3 },
    });
    expect(result).toEqual({ action: "accept", content: { a: 3 } });
  });

  test("with a field named like what all objects have gets no more than was typed", async () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}',
    );
    const content = JSON.parse('{"__proto__":"typed"}');
    const { result } = await put(form(schema), { action: "accept", content });
    expect(JSON.stringify(result)).toBe('{"action":"accept","content":{"__proto__":"typed"}}');
  });

  test("is withdrawn when its answer is not wanted any more", async () => {
    const stop = new AbortController();
    const running = answers("elicitation/create", form(everyField), {
      ask: () => new Promise(() => {}),
      signal: stop.signal,
    });
    stop.abort(new Error("too late"));
    await expect(running).rejects.toThrow("too late");
  });
});

describe("a page to open", () => {
  const page = (url: unknown) => ({ mode: "url", message: "Sign in", elicitationId: "1", url });

  test.each([
    ["https://example.com/a?b=1", "https://example.com/a?b=1"],
    ["https://exämple.com", "https://xn--exmple-cua.com/"],
    ["http://localhost:3000/x", "http://localhost:3000/x"],
    ["http://127.0.0.1/", "http://127.0.0.1/"],
  ])("is shown with the address %s as a browser reads it, and accepted without content", async (url, shown) => {
    const { result, seen } = await put(page(url), { action: "accept", content: { a: 1 } });
    expect(seen).toEqual({ kind: "url", from: "shop", message: "Sign in", url: shown });
    expect(result).toEqual({ action: "accept" });
  });

  test.each([
    "http://example.com",
    "http://127.0.0.1.example.com/",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "https://bank.com@evil.test/",
    "not an address",
    `https://example.com/${"x".repeat(4000)}`,
    "https://example.com/?key=sk-SECRET-12345",
    7,
  ])("is refused with the address %s", async (url) => {
    await expect(refused(page(url))).rejects.toMatchObject({ code: -32602 });
  });
});

test.each(["sampling/createMessage", "roots/list", "tools/call", "constructor"])(
  "%s is no method here",
  async (method) => {
    await expect(answers(method, {}, { signal })).rejects.toMatchObject({ code: -32601 });
  },
);

function numbered<T>(count: number, make: () => T): Record<string, T> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, make()]));
}
