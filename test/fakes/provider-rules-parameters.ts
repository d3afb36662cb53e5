import type { JournalEntry } from "./provider.ts";
import { invalid, listOf, type Refusal, recordOf } from "./provider-rules.ts";

type Fields = Record<string, unknown>;

/** The parameters that a model refuses, by its name, in its vendor's words. */
export function checkParameters({ wire, body, model }: JournalEntry): Refusal | undefined {
  if (wire === "anthropic-messages") return checkClaude(body, model);
  if (wire !== "openai-chat") return undefined;
  return checkOpenAi(body, model) ?? checkKimi(body, model);
}

/** What OpenAI's newer models refuse on chat completions. */
function checkOpenAi(body: Fields, model: string): Refusal | undefined {
  if (!/^(o\d|gpt-[5-9])/.test(model)) return undefined;
  if (body.max_tokens !== undefined) return unsupported("max_tokens", " Use 'max_completion_tokens' instead.");
  const effort = body.reasoning_effort;
  const refusesTools = /^gpt-(5\.[6-9]|[6-9])/.test(model) || (/^gpt-5\.[45]/.test(model) && effort !== undefined);
  if (listOf(body.tools).length > 0 && refusesTools && effort !== "none") {
    const message = `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`;
    return { ...invalid(message), param: "reasoning_effort" };
  }
  const always = /^(o\d|gpt-5(-|$))/.test(model);
  const byDefault = /^gpt-(5\.[5-9]|[6-9])/.test(model);
  const reasons = always || (effort === undefined ? byDefault : effort !== "none");
  const sampling = ["temperature", "top_p"].find((name) => body[name] !== undefined);
  return reasons && sampling ? unsupported(sampling) : undefined;
}

function unsupported(param: string, advice = ""): Refusal {
  const message = `Unsupported parameter: '${param}' is not supported with this model.${advice}`;
  return { ...invalid(message), param, code: "unsupported_parameter" };
}

function checkKimi({ temperature }: Fields, model: string): Refusal | undefined {
  if (!/(^|\/)kimi-k[23]/i.test(model) || temperature === undefined || temperature === 1) return undefined;
  return invalid("invalid temperature: only 1 is allowed for this model");
}

/** From Opus 4.7 and Sonnet 5 on. */
function checkClaude(body: Fields, model: string): Refusal | undefined {
  const thinking = recordOf(body.thinking);
  const choice = recordOf(body.tool_choice).type;
  if (thinking.type !== undefined && thinking.type !== "disabled" && (choice === "any" || choice === "tool")) {
    return invalid("Thinking may not be enabled when tool_choice forces tool use.");
  }
  if (!/^claude-(opus-(4-[7-9]|[5-9])|(sonnet|haiku)-[5-9]|fable)/.test(model)) return undefined;
  const sampling = ["temperature", "top_p", "top_k"].find((name) => body[name] !== undefined);
  if (sampling) return invalid(`\`${sampling}\` is deprecated for this model.`);
  if (thinking.type === "enabled") {
    return invalid(
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    );
  }
  return undefined;
}
