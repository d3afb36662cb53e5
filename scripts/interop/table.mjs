// The table of results: one column for each scenario, one row for each client and transport.

/** Is how long the runner waits for the end of the model's request. */
const cancelLimitMs = 20_000;

/** Renders each cell from a scenario's result. */
export const cells = {
  lists: ({ tools = [], wire }) => `${countDuetTools(tools.length ? tools : (wire.tools ?? [])) || "✗"}`,
  answer: renderAnswer,
  slow: ({ requests, text = "", answer, wire }) => {
    const running = wire.statuses.filter((status) => status === "running").length;
    const end = text.includes(answer) ? "complete ✓" : "lost ✗";
    return `${running ? `\`running\` ×${running}, ` : ""}${end}, ${requests} paid`;
  },
  progress: ({ progress, wire }) => {
    if (!wire.asksForProgress) return "not asked for";
    return progress === undefined ? `${wire.progressSent} sent` : `${progress} of ${wire.progressSent}`;
  },
  cancel: ({ closedMs, error, wire }) => {
    if (closedMs < cancelLimitMs) return `${closedMs} ms`;
    if (closedMs !== undefined && !wire.sendsCancel) return "sends none";
    return `✗ ${closedMs ?? error ?? ""}`.trim();
  },
  confirmation: ({ text = "", answer, elicited, wire, given = [] }) => {
    const way = elicited || wire.wasElicited ? "dialog" : "token";
    const hasAsked =
      way === "dialog" ||
      wire.statuses.includes("needs_confirmation") ||
      given.some((result) => result.includes("needs the user's approval"));
    return `${hasAsked ? way : "not asked"}, ${text.includes(answer) ? "yes ✓" : "yes ✗"}`;
  },
  limit: ({ callMs, tookMs, error, text = "", answer }) => {
    const isWhole = text.includes(answer);
    return isWhole ? "waits 75 s" : `${((callMs ?? tookMs) / 1000).toFixed(0)} s${error ? " ✗" : ""}`;
  },
};

/** A host may name a tool in two ways, with and without its server. */
function countDuetTools(names) {
  return new Set(names.map((name) => /agent_(?:ask|result|cancel)$/.exec(name)?.[0]).filter(Boolean)).size;
}

function renderAnswer({ text = "", structured, answer, error }) {
  if (text === "" && error) return `✗ ${error.slice(0, 80).replaceAll("|", "/")}`;
  const object = structured === undefined ? "" : ` + ${JSON.stringify(structured).length} object`;
  return `${text.length}${object} ${text.includes(answer) ? "✓" : "✗"}`;
}

/** Prints a row for each client and transport, their footnotes, and the clients that could not be installed or measured. */
export function printTable({ rows, skipped, failed, scenarios }) {
  const notes = [];
  const heads = { lists: "lists", answer: "answer", slow: "12 s answer", limit: "waits" };
  const columns = Object.keys(cells).filter((name) => scenarios.includes(name));
  const titles = ["client", "version", ...columns.map((name) => heads[name] ?? name), "`tools/list`", "sent as"];
  console.log(`| ${titles.join(" | ")} |\n|${titles.map(() => " --- |").join("")}`);
  for (const { client, transport, version, results } of rows) {
    const played = columns.map((scenario) => {
      const result = results[scenario];
      return result ? cells[scenario](result) : `–${addNote(notes, client.missing?.[scenario] ?? "")}`;
    });
    const title = (client.transports ?? []).length > 1 ? `${client.title}, ${transport}` : client.title;
    console.log(`| ${[title, version, ...played, ...renderSent(Object.values(results))].join(" | ")} |`);
  }
  console.log(
    `\nCell "answer": characters that the client's model (or caller) got. "✓": the whole answer was in them.`,
  );
  for (const [index, text] of notes.entries()) console.log(`${index + 1}. ${text}`);
  for (const { client, obstacle } of skipped) console.log(`- skipped: ${client.name}: ${obstacle}`);
  for (const { client, transport, error } of failed)
    console.log(`- failed: ${client.name} (${transport}): ${error.message}`);
}

function renderSent(results) {
  const wires = results.map(({ wire }) => wire);
  const { client, protocol } = wires.find((wire) => wire.client) ?? {};
  const bytes = wires.map(({ listBytes }) => listBytes).find(Boolean);
  const asks = wires.some(({ asksForProgress }) => asksForProgress);
  const canElicit = wires.some((wire) => wire.canElicit);
  const facts = [protocol ?? "?", asks ? "progress" : "no progress", canElicit ? "elicitation" : "no elicitation"];
  return [bytes ? `${bytes} B` : "–", client ? `\`${client.name} ${client.version}\` (${facts.join(", ")})` : "–"];
}

function addNote(notes, text) {
  if (text === "") return "";
  if (!notes.includes(text)) notes.push(text);
  return ` [${notes.indexOf(text) + 1}]`;
}
