import fc from "fast-check";
import { expect, test } from "vitest";
import { createServerRedact, extendRedact } from "../../src/client/redact.ts";
import { redactValue } from "../../src/kit/text/redact.ts";
import { http, stdio } from "./servers.ts";

const key = "sk-CANARY/1+2=é end";

function withEnv(env: Record<string, string>): (text: string) => string {
  return createServerRedact(stdio("s", "x", [], { env }));
}

test("a key from the environment disappears in all its spellings", () => {
  const redact = withEnv({ API_KEY: key });
  const bytes = Buffer.from(key);
  const forms = [
    key,
    encodeURIComponent(key),
    encodeURIComponent(key).replace(/%../g, (byte) => byte.toLowerCase()),
    bytes.toString("base64"),
    bytes.toString("base64url"),
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase(),
    JSON.stringify(key).slice(1, -1),
  ];
  for (const form of forms) expect(redact(`before ${form} after`)).toMatch(/^before \[redacted API_KEY\]=* after$/);
});

test.each(["form field", "strict percent", "lower-case form field", "lower-case percent"])(
  "a password with blanks and punctuation disappears as a %s",
  (spelling) => {
    const password = "let (me) in! it's *me*~ 1+1=é/";
    const field = new URLSearchParams({ password }).toString().slice("password=".length);
    const strict = encodeURIComponent(password).replace(/[!'()*]/g, (sign) => `%${hexOf(sign)}`);
    const lower = (text: string): string => text.replace(/%../g, (byte) => byte.toLowerCase());
    const forms: Record<string, string> = {
      "form field": field,
      "strict percent": strict,
      "lower-case form field": lower(field),
      "lower-case percent": lower(strict),
    };
    expect(withEnv({ PASSWORD: password })(`password=${forms[spelling]}&x=1`)).toBe("password=[redacted PASSWORD]&x=1");
  },
);

function hexOf(sign: string): string {
  return sign.charCodeAt(0).toString(16).toUpperCase();
}

test("what a server inherits from our environment disappears like what it is given", () => {
  const settings = stdio("s", "x", [], { inheritEnv: ["GITHUB_TOKEN", "DATABASE_URL", "PATH", "UNSET"] });
  const environment = {
    GITHUB_TOKEN: key,
    DATABASE_URL: "postgres://u:CANARY-db@h/db",
    PATH: "/usr/bin",
    OTHER: "CANARY-2",
  };
  const redact = createServerRedact(settings, environment);
  expect(redact(`${key} ${Buffer.from(key).toString("hex")} postgres://u:CANARY-db@h/db /usr/bin CANARY-2`)).toBe(
    "[redacted GITHUB_TOKEN] [redacted GITHUB_TOKEN] postgres://u:[redacted DATABASE_URL]@h/db /usr/bin CANARY-2",
  );
});

test("a secret is found wherever it stands", () => {
  const redact = withEnv({ TOKEN: "hunter2hunter2" });
  fc.assert(
    fc.property(fc.string(), fc.string(), (before, after) => {
      expect(redact(`${before}hunter2hunter2${after}`)).not.toContain("hunter2hunter2");
    }),
  );
});

test.each([0, 1, 2, 3])("a secret inside of base64 disappears, %i bytes after its start", (offset) => {
  const secret = "sk-CANARY-base64-0123456789";
  const redact = withEnv({ API_KEY: secret });
  const text = Buffer.from(`${"x".repeat(offset)}${secret}yy`).toString("base64");
  const cleaned = redact(text);
  expect(cleaned).toContain("[redacted API_KEY]");
  expect(Buffer.from(cleaned, "base64").toString("latin1")).not.toContain(secret);
});

test("a secret disappears as JSON escapes it, and in base64 for addresses", () => {
  const secret = 'quote" back\\slash\nline';
  expect(withEnv({ API_KEY: secret })(JSON.stringify({ secret }))).toBe('{"secret":"[redacted API_KEY]"}');
  const bytes = Buffer.from("???>>>~~~canary-key");
  const encoded = bytes.toString("base64url");
  expect(encoded).toMatch(/[-_]/);
  expect(withEnv({ API_KEY: bytes.toString() })(encoded)).toBe("[redacted API_KEY]");
});

test("the tokens of a sign-in disappear as long as they are known, in all their spellings, beside the configured secrets", () => {
  let tokens = ["token/one+two"];
  const redact = extendRedact(withEnv({ API_KEY: "configured-key" }), () => tokens);
  const text = "configured-key token/one+two token%2Fone%2Btwo";
  expect(redact(text)).toBe("[redacted API_KEY] [redacted TOKEN] [redacted TOKEN]");
  tokens = ["another-token", "short"];
  expect(redact(`${text} another-token short`)).toBe(
    "[redacted API_KEY] token/one+two token%2Fone%2Btwo [redacted TOKEN] short",
  );
});

test("text without a secret stays as it is", () => {
  const redact = withEnv({ TOKEN: "hunter2hunter2", EMPTY: "", SHORT: "abc" });
  fc.assert(fc.property(fc.string(), (text) => redact(text) === text));
});

test("the longer of two secrets is replaced as a whole", () => {
  const redact = withEnv({ A: "secret-1", B: "secret-1-and-more" });
  expect(redact("secret-1-and-more secret-1")).toBe("[redacted B] [redacted A]");
});

test("ordinary settings are no secrets", () => {
  const redact = withEnv({
    NODE_ENV: "production",
    MEMORY_FILE_PATH: "/tmp/memory.json",
    API: "https://example.com/v1",
  });
  expect(redact("production /tmp/memory.json https://example.com/v1")).toBe(
    "production /tmp/memory.json https://example.com/v1",
  );
});

test("a bearer token disappears with and without its scheme", () => {
  const redact = createServerRedact(
    http("https://example.com/mcp", { headers: { Authorization: "Bearer abc.def-123" } }),
  );
  expect(redact("Bearer abc.def-123 / abc.def-123")).toBe("[redacted Authorization] / [redacted Authorization]");
});

test("the secrets of an address disappear: its parameters, its password, a token in its path", () => {
  const url = "https://user:pa55word!@example.com/v1/9f8e7d6c5b4a3f2e1d0c9b8a/sse?key=abcdef123&page=longvalue";
  const redact = createServerRedact(http(url));
  const text = redact(url);
  for (const secret of ["pa55word", "9f8e7d6c", "abcdef123"]) expect(text).not.toContain(secret);
  expect(text).toContain("longvalue");
});

test("a key among the arguments disappears", () => {
  const redact = createServerRedact(
    stdio("s", "x", ["--api-key", "first-key", "--token=second-key", "--root", "/home/me"]),
  );
  expect(redact("first-key second-key /home/me")).toBe("[redacted api-key] [redacted token] /home/me");
});

test("a connection string keeps its place and loses its password", () => {
  const redact = withEnv({ DATABASE: "postgres://me:s3cr3tpass@db.local/main" });
  expect(redact("postgres://me:s3cr3tpass@db.local/main")).toBe("postgres://me:[redacted DATABASE]@db.local/main");
});

test("a JSON value loses a secret in keys, texts and numbers and stays JSON; one without any is the same object", () => {
  const redact = withEnv({ PIN: "123456" });
  const value = { 123456: [123456, "is 123456", 1.5, null, true], inner: { pin: -123456 } };
  expect(redactValue(value, redact)).toEqual({
    "[redacted PIN]": ["[redacted PIN]", "is [redacted PIN]", 1.5, null, true],
    inner: { pin: "-[redacted PIN]" },
  });
  const harmless = { text: "nothing" };
  expect(redactValue(harmless, redact)).toBe(harmless);
});
