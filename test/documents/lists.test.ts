import { expect, test } from "vitest";
import { createFileJsonSchema } from "../../src/config/schema/file-schema.ts";
import { findVariable } from "../../src/config/sources/environment.ts";
import { hookEvents } from "../../src/core/hooks.ts";
import { isRecord } from "../../src/kit/json.ts";
import { vendors } from "../../src/providers/vendors.ts";
import { searchBackends } from "../../src/tools/search/search-backends.ts";
import { readDocument } from "./pages.ts";

const languages = ["", ".zh"];
const leaves = readLeaves(createFileJsonSchema());

test.each(languages)("the pages of settings%s list every key of the configuration file", (language) => {
  const pages = ["settings", "settings-models", "settings-servers", "settings-tools", "agents"];
  const text = pages.map((page) => readDocument(`docs/${page}${language}.md`)).join("");
  expect(leaves.length).toBeGreaterThan(100);
  expect([...new Set(leaves.map(toListedKey))].filter((key) => !text.includes(`\`${key}\``))).toEqual([]);
});

test.each(languages)("the page of environment variables%s lists every variable that is read", (language) => {
  const text = readDocument(`docs/environment${language}.md`);
  const ofSettings = leaves.flatMap((path) => findVariable(path) ?? []);
  const ofModels = ["functionCall", "answer"].flatMap((role) => findVariable(["models", role]) ?? []);
  const ofVendors = Object.values(vendors).flatMap(({ keyEnv, baseUrlEnv }) => [keyEnv, baseUrlEnv]);
  const ofProgram = [["home"], ["httpToken"], ["terminalMode"]].flatMap((path) => findVariable(path) ?? []);
  const names = [...ofSettings, ...ofModels, ...ofVendors, ...ofProgram, "DEEPSEEK_MODEL_VARIANT"];
  expect(names).toEqual(expect.arrayContaining(["AGENT_ANSWER_MODEL", "DUET_HOME", "SMTP_HOST", "GEMINI_API_KEY"]));
  expect(names.filter((name) => name !== undefined && !text.includes(`\`${name}\``))).toEqual([]);
});

test.each(languages)("the page of models%s names every vendor, with the variable of its key", (language) => {
  const text = readDocument(`docs/models${language}.md`);
  const names = Object.entries(vendors).flatMap(([id, { keyEnv }]) => [id, keyEnv ?? id]);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

test.each(languages)("the page of web search%s names every service, with the variable of its key", (language) => {
  const text = readDocument(`docs/web-search${language}.md`);
  const names = Object.values(searchBackends).map((row) => ("keyEnv" in row ? row.keyEnv : row.title));
  expect(names.length).toBeGreaterThan(7);
  expect(names.filter((name) => !text.includes(name))).toEqual([]);
});

/** The paths of what can be set; `NAME` stands for names that people choose. */
function readLeaves(schema: unknown, path: string[] = []): string[][] {
  if (!isRecord(schema)) return [path];
  const alternatives = [schema, ...[schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []))];
  const inner = alternatives.flatMap((alternative) => {
    if (!isRecord(alternative)) return [];
    const { properties, additionalProperties } = alternative;
    const named = isRecord(properties) ? Object.entries(properties) : [];
    const free = isRecord(additionalProperties) ? [["NAME", additionalProperties] as const] : [];
    return [...named, ...free].flatMap(([name, value]) => readLeaves(value, [...path, name]));
  });
  return inner.length > 0 ? inner : [path];
}

/** A key as the pages write it: parts that repeat are listed once. */
function toListedKey(path: readonly string[]): string {
  const [section = "", name = "", ...rest] = path;
  // Other events are those of another program, and ignored.
  if (section === "hooks") return (hookEvents as readonly string[]).includes(name) ? path.join(".") : "hooks.Stop";
  if (section === "models") return rest.length === 0 ? path.join(".") : `….${rest.join(".")}`;
  if (section === "mcpServers" || section === "servers") return rest[0] === "env" ? "env" : toServerKey(rest);
  if (section === "agents")
    return ["agents.NAME", ...rest.slice(0, rest[0] === "models" || rest[0] === "acp" ? 2 : 1)].join(".");
  if (section === "providers") return `providers.NAME.${rest[0]}`;
  if (section === "serve" && name === "windows") return "serve.windows";
  if (section === "search" && (rest[0] === "apiKey" || rest[0] === "baseUrl")) return `search.SERVICE.${rest[0]}`;
  if (section === "serve" && rest.at(-1) === "NAME") return path.slice(0, -1).join(".");
  return path.join(".");
}

function toServerKey(rest: readonly string[]): string {
  return rest[0] === "auth" ? rest.join(".") : (rest[0] ?? "mcpServers");
}
