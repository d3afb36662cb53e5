import { expect, onTestFinished, test } from "vitest";
import { openDuet } from "../../src/app/open-duet.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import type { AgentEvent } from "../../src/core/run/events.ts";
import { noticesOf, outcomeOf } from "../fakes/events.ts";
import { configFile, temporaryFolder } from "../fakes/program.ts";
import { type FakeTurn, type JournalEntry, startFakeProvider } from "../fakes/provider.ts";
import { type FakeResult, startFakeSearch } from "../fakes/search.ts";

const conversations = 100;
const numbers = Array.from({ length: conversations }, (_, index) => index);

/** A word that only one conversation knows. */
function wordOf(number: number): string {
  return `word${String(number).padStart(3, "0")}x`;
}

test("100 conversations at once in one process: none sees another's words, sources, cache or limits", async () => {
  const provider = await startFakeProvider();
  const pages = numbers.map((number): [string, FakeResult[]] => [
    `topic ${wordOf(number)}`,
    [{ title: `Page of ${wordOf(number)}`, url: `https://${wordOf(number)}.example/`, content: "A page about it." }],
  ]);
  const search = await startFakeSearch(Object.fromEntries(pages));
  onTestFinished(async () => void (await Promise.all([provider.close(), search.close()])));
  // Two rounds of questions, three turns each: search, enough, answer.
  provider.script("cheap", ...Array.from({ length: 4 * conversations }, () => decide));
  provider.script("strong", ...Array.from({ length: 2 * conversations }, () => answer));
  const file = await configFile({
    models: {
      // So many at once answer each late on a busy machine.
      functionCall: { provider: "openai", model: "cheap", baseUrl: provider.openaiUrl, timeout: 300 },
      answer: { provider: "anthropic", model: "strong", baseUrl: provider.anthropicUrl, timeout: 300 },
    },
    agent: { maxIterations: 3, maxExecutionTime: 300 },
    search: { searxng: { url: search.url } },
    locale: "en",
  });
  const environment = { OPENAI_API_KEY: "sk-test-openai-0001", ANTHROPIC_API_KEY: "sk-ant-test-0001" };
  const home = await temporaryFolder();
  const duet = await openDuet(await loadConfig({ config: file }, { ...environment, HOME: home, DUET_HOME: home }));
  onTestFinished(() => duet.close());

  async function ask(number: number, conversationId?: string): Promise<AgentEvent[]> {
    const question = `What is new about ${wordOf(number)}?`;
    // Every other conversation may make one call alone.
    const limits = number % 2 ? { maxToolCalls: 1 } : {};
    return Array.fromAsync(duet.ask({ question, conversationId, limits }));
  }

  const first = await Promise.all(numbers.map((number) => ask(number)));
  const ids = first.map((events) => outcomeOf(events).conversation_id);
  expect(new Set(ids).size).toBe(conversations);
  const second = await Promise.all(numbers.map((number) => ask(number, ids[number])));

  for (const number of numbers) {
    for (const [round, events] of [first[number] ?? [], second[number] ?? []].entries()) {
      const outcome = outcomeOf(events);
      const { response, citations, stop_reason, tool_calls } = outcome;
      expect(response).toContain(`${wordOf(number)} is new [1].`);
      expect(citations).toEqual([
        { n: 1, title: `Page of ${wordOf(number)}`, url: `https://${wordOf(number)}.example/` },
      ]);
      expect(stop_reason).toBe("answered");
      // Where one call is all, there is no second round.
      expect(outcome.meta.iterations).toBe(number % 2 ? 1 : 2);
      expect(tool_calls.map(({ cached }) => cached)).toEqual([round === 1]);
      expect(noticesOf(events)).not.toContain("not-saved");
      expect(foreignWords(JSON.stringify(events), number)).toEqual([]);
    }
  }
  for (const entry of provider.journal) {
    const text = JSON.stringify(entry.body);
    expect(foreignWords(text, numberIn(text))).toEqual([]);
  }
  // The second question found each search in its own conversation's cache.
  expect(search.journal).toHaveLength(conversations);
});

function numberIn(text: string): number {
  return Number(/word(\d{3})x/.exec(text)?.[1]);
}

/** The words of other conversations in a text. */
function foreignWords(text: string, own: number): string[] {
  return [...text.matchAll(/word\d{3}x/g)].map(([word]) => word).filter((word) => word !== wordOf(own));
}

function decide({ body }: JournalEntry): FakeTurn {
  const messages = JSON.stringify(body.messages);
  const word = wordOf(numberIn(messages));
  const last = Array.isArray(body.messages) ? body.messages.at(-1) : undefined;
  if (last?.role === "tool") return { text: "That is enough." };
  return { text: "I will search.", toolCalls: [{ name: "web_search", arguments: { query: `topic ${word}` } }] };
}

function answer({ body }: JournalEntry): FakeTurn {
  return { text: `${wordOf(numberIn(JSON.stringify(body.messages)))} is new [1].` };
}
