import fc from "fast-check";
import { expect, test } from "vitest";
import { createToolNames } from "../../src/client/tool-names.ts";

const valid = /^[a-zA-Z0-9_-]{1,64}$/;
const anyName = fc.oneof(
  fc.string({ minLength: 1, maxLength: 100, unit: "grapheme" }),
  fc.string({ minLength: 1, maxLength: 6, unit: fc.constantFrom("a", "_", "-", ".", "b") }),
  fc.string({ minLength: 50, maxLength: 128, unit: fc.constantFrom("a", "_", "b") }),
);

test("an ordinary tool is called server__tool", () => {
  expect(createToolNames().nameOf("amap", "maps_weather")).toBe("amap__maps_weather");
});

test("every name is one that model vendors take", () => {
  fc.assert(fc.property(anyName, anyName, (server, tool) => valid.test(createToolNames().nameOf(server, tool))));
});

test("two tools never share a name, and each name leads back to its tool", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anyName, anyName), { maxLength: 60 }), (origins) => {
      const names = createToolNames();
      const given = new Map<string, string>();
      for (const [server, tool] of origins) {
        const name = names.nameOf(server, tool);
        const key = JSON.stringify([server, tool]);
        expect(given.get(name) ?? key).toBe(key);
        given.set(name, key);
        expect(names.originOf(name)).toEqual({ server, tool });
      }
    }),
  );
});

test("a name does not depend on what was named before", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anyName, anyName)), anyName, anyName, (others, server, tool) => {
      const names = createToolNames();
      for (const [otherServer, otherTool] of others) names.nameOf(otherServer, otherTool);
      expect(names.nameOf(server, tool)).toBe(createToolNames().nameOf(server, tool));
    }),
  );
});

test("servers a and a__b cannot be confused", () => {
  const names = createToolNames();
  expect(names.nameOf("a", "b__c")).not.toBe(names.nameOf("a__b", "c"));
  expect(names.nameOf("a_", "b")).not.toBe(names.nameOf("a", "_b"));
});

test("a tool that takes the shape of a hashed name does not take its place", () => {
  const names = createToolNames();
  const hashed = names.nameOf("s", "e e!");
  expect(names.nameOf("s", hashed.slice("s__".length))).not.toBe(hashed);
});

test("a name that is too long keeps its server and its start", () => {
  const name = createToolNames().nameOf("server", "t".repeat(100));
  expect(name).toMatch(/^server__t{40,}--[0-9a-f]{10}$/);
  expect(name).toHaveLength(64);
});

test("a name that was never given leads nowhere", () => {
  const names = createToolNames();
  expect(names.originOf("constructor")).toBeUndefined();
  expect(names.originOf("a__b")).toBeUndefined();
});
