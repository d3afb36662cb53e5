import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { httpError, streamError } from "../../../src/providers/errors/errors.ts";
import { settings } from "../reading.ts";

/** What a vendor answers, in its own words; the class, and a pattern that the English hint fits. */
interface VendorError {
  vendor: string;
  status: number;
  code: string;
  retryable: boolean;
  hint: string;
  body: unknown;
}

const vendorErrors: VendorError[] = readFileSync(join(import.meta.dirname, "vendor-errors.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

const origins: Record<string, { baseUrl: string; apiKeyEnv?: string }> = {
  deepseek: { baseUrl: "https://api.deepseek.com", apiKeyEnv: "DEEPSEEK_API_KEY" },
  openai: { baseUrl: "https://api.openai.com/v1", apiKeyEnv: "OPENAI_API_KEY" },
  anthropic: { baseUrl: "https://api.anthropic.com", apiKeyEnv: "ANTHROPIC_API_KEY" },
  qwen: { baseUrl: "https://dashscope.aliyuncs.com/compatible-mode/v1", apiKeyEnv: "DASHSCOPE_API_KEY" },
  gemini: { baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai", apiKeyEnv: "GEMINI_API_KEY" },
  xai: { baseUrl: "https://api.x.ai/v1", apiKeyEnv: "XAI_API_KEY" },
  groq: { baseUrl: "https://api.groq.com/openai/v1", apiKeyEnv: "GROQ_API_KEY" },
  openrouter: { baseUrl: "https://openrouter.ai/api/v1", apiKeyEnv: "OPENROUTER_API_KEY" },
  mistral: { baseUrl: "https://api.mistral.ai/v1", apiKeyEnv: "MISTRAL_API_KEY" },
  moonshot: { baseUrl: "https://api.moonshot.cn/v1", apiKeyEnv: "MOONSHOT_API_KEY" },
  zhipu: { baseUrl: "https://open.bigmodel.cn/api/paas/v4", apiKeyEnv: "ZHIPUAI_API_KEY" },
  ollama: { baseUrl: "http://127.0.0.1:11434/v1" },
};

describe("what vendors really answer", () => {
  test.each(vendorErrors)("$vendor, HTTP $status, is $code: $body", (known) => {
    const { vendor, status, body, code, retryable, hint } = known;
    const told = httpError({ status, headers: undefined, body }, settings({ provider: vendor, ...origins[vendor] }));
    expect(told).toMatchObject({ code, retryable });
    expect(told.hint?.en).toMatch(new RegExp(hint));
    expect(told.hint?.zh).toMatch(/\p{Script=Han}.*。/u);
    expect(told.text.zh).toMatch(/\p{Script=Han}/u);
    for (const text of [told.text.zh, told.text.en]) expect(text).not.toMatch(/[<>]\w+|undefined|\[object/);
  });

  test("the same as text, as an error inside a stream, and without a status has a hint as well", () => {
    for (const { vendor, status, body, code } of vendorErrors) {
      const origin = settings({ provider: vendor, ...origins[vendor] });
      const text = typeof body === "string" ? body : JSON.stringify(body);
      expect(httpError({ status, headers: undefined, body: text }, origin).code).toBe(code);
      expect(streamError(body, origin).hint?.zh).toBeTruthy();
    }
  });
});
