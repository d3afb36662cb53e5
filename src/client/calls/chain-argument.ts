import type { Chain, TraceContext } from "../../core/chain.ts";
import { chainProperty, hasChainProperty, toChainText } from "../../core/chain-text.ts";
import type { JsonObject, JsonSchema } from "../../kit/json.ts";

/** The arguments of a call, with the chain among them where the tool takes it; whatever a model wrote there is replaced. */
export function withChain(
  args: JsonObject,
  schema: JsonSchema,
  { chain, trace }: { chain?: Chain | undefined; trace?: TraceContext | undefined },
): JsonObject {
  if (chain === undefined || !hasChainProperty(schema)) return args;
  return { ...args, [chainProperty]: toChainText(chain, trace) };
}
