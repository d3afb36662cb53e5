import { isSpecType } from "@modelcontextprotocol/server";
import { readHost } from "../../../runs/input/host.ts";
import type { PromptCapability } from "../capabilities.ts";
import { createCallProgress } from "./call-progress.ts";
import type { Exposure } from "./exposure.ts";
import { badAnswerError, ignoreMissing, MissingEntryError, toProtocolError, toRequestOptions } from "./request.ts";

/** Offers every server's prompts to the host. */
export function createPromptCapability(exposed: Exposure): PromptCapability {
  const { gateway, locale, connection, inputRequests } = exposed;
  return {
    list: async (signal) => (await gateway.prompts(signal)).filter(isSpecType.Prompt),
    get(name, args, context) {
      const progress = createCallProgress();
      const served = { kind: name, connection, host: readHost(connection.server, context), context, progress };
      const answer = inputRequests.prompts.serve(served, async (requestContext) => {
        try {
          const given = await gateway.getPrompt(
            name,
            args,
            toRequestOptions({ ...requestContext, progress }, context, exposed),
          );
          if (given === undefined) throw new MissingEntryError();
          if (!isSpecType.GetPromptResult(given)) throw badAnswerError(name);
          return given;
        } catch (thrown) {
          throw toProtocolError(thrown, requestContext.signal, locale);
        }
      });
      return answer.catch(ignoreMissing);
    },
  };
}
