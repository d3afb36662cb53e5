import {
  type CompleteRequestParams,
  type CompleteResult,
  isSpecType,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { fromMeta, toMeta } from "../../../core/chain.ts";
import { below } from "./call-context.ts";
import type { Exposed } from "./exposure.ts";
import { badAnswer, toProtocolError } from "./request.ts";

/** Completes arguments of prompts and templates, as far as their servers do. */
export async function complete(
  { gateway, locale }: Exposed,
  { ref, argument, context }: CompleteRequestParams,
  { mcpReq: { signal, _meta } }: ServerContext,
): Promise<CompleteResult | undefined> {
  const chain = fromMeta(_meta);
  try {
    const meta = { ...chain.trace, ...toMeta(below(chain)) };
    const answer = await gateway.complete({ ref, argument, context }, { signal, onProgress: () => {}, meta });
    if (answer === undefined || isSpecType.CompleteResult(answer)) return answer;
    throw badAnswer(argument.name);
  } catch (thrown) {
    throw toProtocolError(thrown, signal, locale);
  }
}
