import { describe, expect, test } from "vitest";
import { createWordReader, toPairs, toStem } from "../../../src/tools/find/words.ts";

describe("the words of a text", () => {
  test.each([
    ["maps_direction_walking", ["map", "direct", "walk"], []],
    ["getUserName get-sum HTTPServer2", ["get", "user", "nam", "get", "sum", "http", "server", "2"], []],
    ["URLs of an IPAddress", ["url", "of", "an", "ip", "address"], []],
    ["查询天气 by city，今天", ["by", "city"], ["查询天气", "今天"]],
    ["Zürich, café", ["zürich", "café"], []],
    ["", [], []],
  ])("%s", (text, stems, runs) => {
    expect(createWordReader()(text)).toEqual({ stems, runs });
  });

  test.each([
    ["create", "creates", "created", "creating"],
    ["directory", "directories"],
    ["map", "maps", "mapping"],
    ["box", "boxes"],
    ["drive", "driving"],
  ])("%s and its forms are one", (...forms) => {
    expect(new Set(forms.map(toStem)).size).toBe(1);
  });

  test.each(["news", "status", "address", "bus", "is", "read", "feed", "thing"])("%s keeps its own form", (word) => {
    expect(word.startsWith(toStem(word))).toBe(true);
    expect(toStem(word).length).toBeGreaterThanOrEqual(Math.min(word.length, 3));
  });

  test("Chinese is read in pairs", () => {
    expect(toPairs("骑行路线")).toEqual(["骑行", "行路", "路线"]);
    expect(toPairs("图")).toEqual(["图"]);
  });
});
