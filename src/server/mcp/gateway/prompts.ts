import { isSpecType } from "@modelcontextprotocol/server";
import { hostOf } from "../../../runs/input/host.ts";
import type { PromptProvider } from "../capabilities.ts";
import { createCallProgress } from "./call-progress.ts";
import type { Exposed } from "./exposure.ts";
import { badAnswer, Missing, requestOptions, toProtocolError, unlessMissing } from "./request.ts";

/** Offers every server's prompts to the host. */
export function offerPrompts(exposed: Exposed): PromptProvider {
  const { gateway, locale, connection, rounds } = exposed;
  return {
    list: async (signal) => (await gateway.prompts(signal)).filter(isSpecType.Prompt),
    get(name, args, context) {
      const progress = createCallProgress();
      const served = { kind: name, connection, host: hostOf(connection.server, context), context, progress };
      const answer = rounds.prompts.serve(served, async (means) => {
        try {
          const given = await gateway.getPrompt(name, args, requestOptions({ ...means, progress }, context, exposed));
          if (given === undefined) throw new Missing();
          if (!isSpecType.GetPromptResult(given)) throw badAnswer(name);
          return given;
        } catch (thrown) {
          throw toProtocolError(thrown, means.signal, locale);
        }
      });
      return answer.catch(unlessMissing);
    },
  };
}
