import type { Client, McpSubscription, SubscriptionFilter } from "@modelcontextprotocol/client";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { sleep } from "../../kit/async/timeout.ts";

/** Names a server's list whose changes it may announce. */
export type ServerList = "tools" | "prompts" | "resources";

export const everyList: readonly ServerList[] = ["tools", "prompts", "resources"];

/** Sets the first and the longest pause between two attempts to listen again, in milliseconds. */
const pauseMs = { first: 1000, longest: 60_000 };

/**
 * Tells which lists a server says have changed, until the signal aborts. A server of 2026-07-28 is listened to on a stream
 * of its own; where that ends it is opened again, and every list counts as changed then: a word may have been missed.
 */
export function watchListChanges(client: Client, onChanged: (list: ServerList) => void, signal: AbortSignal): void {
  client.setNotificationHandler("notifications/tools/list_changed", () => onChanged("tools"));
  client.setNotificationHandler("notifications/prompts/list_changed", () => onChanged("prompts"));
  client.setNotificationHandler("notifications/resources/list_changed", () => onChanged("resources"));
  if (client.getProtocolEra() !== "modern") return;
  const lists = listAnnounced(client);
  // A server that cannot be listened to is looked at again when its list has grown old.
  if (lists.length === 0) return;
  const filter = {
    toolsListChanged: lists.includes("tools"),
    promptsListChanged: lists.includes("prompts"),
    resourcesListChanged: lists.includes("resources"),
  };
  const listening = keepListening({ client, filter, signal, onAgain: () => lists.forEach(onChanged) });
  void ignoreRejection(listening, "a list that nobody announces is asked for again when it is old");
}

function listAnnounced(client: Client): ServerList[] {
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  const lists: ServerList[] = [];
  if (tools?.listChanged) lists.push("tools");
  if (prompts?.listChanged) lists.push("prompts");
  if (resources?.listChanged) lists.push("resources");
  return lists;
}

export interface ListeningOptions {
  client: Client;
  filter: SubscriptionFilter;
  signal: AbortSignal;
  /** Runs each time the stream is open. */
  onOpen?(): void;
  /** Runs when the stream was opened again: something may have been missed. */
  onAgain(): void;
}

/** Listens on a stream of its own, which is opened again where it ends. Rejects when the signal aborts. */
export async function keepListening({ client, filter, signal, onOpen, onAgain }: ListeningOptions): Promise<void> {
  let isAgain = false;
  for (let failures = 0; !signal.aborted; ) {
    const subscription = await listen(client, filter, signal);
    if (subscription !== undefined) {
      onOpen?.();
      // Not before: what changes between a look and the first word would be missed.
      if (isAgain) onAgain();
      const began = performance.now();
      if ((await subscription.closed) === "local") return;
      // One that ends at once, again and again, is no better than one that cannot be opened.
      if (performance.now() - began > pauseMs.longest) failures = 0;
    }
    isAgain = true;
    await sleep(Math.min(pauseMs.first * 2 ** failures, pauseMs.longest), signal);
    failures += 1;
  }
}

async function listen(
  client: Client,
  filter: SubscriptionFilter,
  signal: AbortSignal,
): Promise<McpSubscription | undefined> {
  try {
    return await client.listen(filter, { signal });
  } catch {
    return undefined;
  }
}
