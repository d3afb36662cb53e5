import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { readQuestion, toAnswer } from "./plan.ts";

/** How long a model thinks before it says something, and between two pieces of an answer, in milliseconds. */
export interface ModelTimes {
  thinks: number;
  piece: number;
}

export interface ChaosModel {
  url: string;
  /** Counts the turns that were asked for. */
  readonly turns: number;
  close(): Promise<void>;
}

/** What each turn costs, in tokens of its request and of its answer. */
export const turnUsage = { prompt_tokens: 900, completion_tokens: 100, total_tokens: 1000 };

const request = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown(), tool_calls: z.unknown().optional() })),
});

/**
 * Serves both models on OpenAI's chat wire. What `decides` calls follows from the question and the number of rounds before, so that a
 * turn that is asked again gives the same calls with the same names.
 */
export async function startModel({ thinks, piece }: ModelTimes): Promise<ChaosModel> {
  let turns = 0;
  const server = createServer(async (incoming, response) => {
    response.on("error", () => {});
    try {
      await answer(request.parse(JSON.parse(await text(incoming))), response);
    } catch {
      response.destroy();
    }
  });

  async function answer({ model, messages }: z.infer<typeof request>, response: ServerResponse): Promise<void> {
    turns += 1;
    await pause(thinks);
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (delta: object, finish: string | null = null): void =>
      void response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
    const plan = messages.flatMap(({ content }) => readQuestion(JSON.stringify(content)) ?? []).at(-1);
    const round = messages.filter(({ role, tool_calls }) => role === "assistant" && Array.isArray(tool_calls)).length;
    const calls = model === "decides" ? plan?.rounds[round] : undefined;
    if (calls !== undefined) {
      const toCall = ({ call, tool, ms }: (typeof calls)[number], index: number): object => ({
        index,
        id: `id-${call}`,
        type: "function",
        function: { name: `work__${tool}`, arguments: JSON.stringify({ call, ms }) },
      });
      send({ role: "assistant", tool_calls: calls.map(toCall) });
      send({}, "tool_calls");
    } else {
      const words = model === "decides" ? "Nothing is left to do." : toAnswer(plan?.name ?? "nobody");
      for (const word of words.split(/(?<= )/)) {
        send({ content: word });
        if (model !== "decides") await pause(piece);
      }
      send({}, "stop");
    }
    response.write(`data: ${JSON.stringify({ choices: [], usage: turnUsage })}\n\n`);
    response.end("data: [DONE]\n\n");
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    get turns() {
      return turns;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
