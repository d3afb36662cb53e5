import {
  type CompleteRequestParams,
  type CompleteResult,
  isSpecType,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { readChainMeta, toChainMeta } from "../../../core/chain.ts";
import { toChildChain } from "./call-context.ts";
import type { Exposure } from "./exposure.ts";
import { badAnswerError, toProtocolError } from "./request.ts";

/** Completes arguments of prompts and templates, as far as their servers do. */
export async function completeArgument(
  { gateway, locale }: Exposure,
  { ref, argument, context }: CompleteRequestParams,
  { mcpReq: { signal, _meta } }: ServerContext,
): Promise<CompleteResult | undefined> {
  const chain = readChainMeta(_meta);
  try {
    const meta = { ...chain.trace, ...toChainMeta(toChildChain(chain)) };
    const answer = await gateway.complete({ ref, argument, context }, { signal, onProgress: () => {}, meta });
    if (answer === undefined || isSpecType.CompleteResult(answer)) return answer;
    throw badAnswerError(argument.name);
  } catch (thrown) {
    throw toProtocolError(thrown, signal, locale);
  }
}
