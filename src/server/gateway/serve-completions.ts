import { isSpecType, type McpServer } from "@modelcontextprotocol/server";
import { fromMeta, toMeta } from "../../core/chain.ts";
import { below } from "./call-context.ts";
import type { Exposed } from "./exposed.ts";
import { badAnswer, toProtocolError } from "./request.ts";

/** Completes arguments of prompts and templates, as far as their servers do. */
export function serveCompletions(server: McpServer, { gateway, locale }: Exposed): void {
  server.server.setRequestHandler("completion/complete", async ({ params }, { mcpReq }) => {
    const { signal, _meta } = mcpReq;
    const chain = fromMeta(_meta);
    try {
      const { ref, argument, context } = params;
      const meta = { ...chain.trace, ...toMeta(below(chain)) };
      const answer = await gateway.complete({ ref, argument, context }, { signal, onProgress: () => {}, meta });
      if (answer === undefined) return { completion: { values: [], hasMore: false } };
      if (!isSpecType.CompleteResult(answer)) throw badAnswer(argument.name);
      return answer;
    } catch (thrown) {
      throw toProtocolError(thrown, signal, locale);
    }
  });
}
