import { expect, onTestFinished, test } from "vitest";
import { loadSqlite } from "../../../src/store/sqlite/connection.ts";

test("Node 22's warning that SQLite is experimental is dropped, and only that one", () => {
  const { emitWarning } = process;
  onTestFinished(() => {
    process.emitWarning = emitWarning;
  });
  const heard: string[] = [];
  process.emitWarning = (warning) => void heard.push(String(warning));
  const sqlite = loadSqlite(() => {
    // In the words of Node 22 and in its place: while the module is being read.
    process.emitWarning("SQLite is an experimental feature and might change at any time", "ExperimentalWarning");
    process.emitWarning("WASI is an experimental feature and might change at any time", "ExperimentalWarning");
    process.emitWarning("SQLite is deprecated", "DeprecationWarning");
    return process.getBuiltinModule("node:sqlite");
  });
  expect(sqlite.DatabaseSync).toBeTypeOf("function");
  expect(heard).toEqual(["WASI is an experimental feature and might change at any time", "SQLite is deprecated"]);
});

test("afterwards warnings go their way as before, also when loading failed", async () => {
  const { emitWarning } = process;
  loadSqlite();
  expect(process.emitWarning).toBe(emitWarning);
  const failing = (): never => {
    throw new Error("no sqlite here");
  };
  expect(() => loadSqlite(failing)).toThrow("no sqlite here");
  expect(process.emitWarning).toBe(emitWarning);
});
