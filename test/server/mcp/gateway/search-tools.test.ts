import { expect, test } from "vitest";
import { mostValues } from "../../../../src/kit/json.ts";
import { createSearchTools, readCall, readFind } from "../../../../src/server/mcp/gateway/search-tools.ts";
import { realTools } from "../../../fakes/real-tools.ts";

test("what is asked of the two tools is read as their schemas say", () => {
  expect(readFind({ query: " rain " }, "en")).toEqual({ query: "rain", limit: 8 });
  expect(readCall({ name: "amap__maps_weather" }, "en")).toEqual({ name: "amap__maps_weather", arguments: {} });
  const nested = { name: "sum", arguments: { terms: [1, { of: null }] } };
  expect(readCall(nested, "en")).toEqual(nested);
});

test("arguments that a host writes as text are those that the call has, and no call is made of what is none", () => {
  const given = { terms: [1, { of: null }] };
  expect(readCall({ name: "sum", arguments: JSON.stringify(given) }, "en")).toEqual({ name: "sum", arguments: given });
  for (const wrong of ["junk", "{", "[1]", "null"])
    expect(readCall({ name: "sum", arguments: wrong }, "en")).toContain("\n- arguments: ");
  const many = `{"terms":[${"0,".repeat(mostValues)}0]}`;
  expect(readCall({ name: "sum", arguments: many }, "en")).toContain(`${mostValues} values`);
});

test("what does not fit is told in the host's language, by its place", () => {
  expect(readFind({ query: "", limit: 21 }, "en")).toMatch(/arguments are not valid:\n- query: .+\n- limit: .+/);
  expect(readFind({ limit: 3 }, "zh")).toMatch(/参数格式错误：\n- query: 缺少（需要：1 到 1000 个字符的文本）/);
  expect(readCall({ name: "sum", a: 2 }, "en")).toContain(
    "\n- a: this field is not allowed (allowed: name, arguments)\n",
  );
});

test("the host is told which servers the tools are of, and how many of each", () => {
  const [find] = createSearchTools(realTools(), "en");
  expect(find?.description).toContain("amap (12), everything (13)");
});
