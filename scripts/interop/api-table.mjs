// What each scenario of the model APIs has to show, and the table of what it showed.

/** Is how long the runner waits for the end of the model's request. */
const cancelLimitMs = 20_000;

/** Each returns what is wrong, and nothing where all is as it should be. */
const checks = {
  plain: (result) => expectSecret(result),
  stream: (result) => expectSecret(result) ?? expectPieces(result),
  tools: (result) => expectSecret(result, "The tool says ") ?? expectOneRun(result),
  images: (result) => expectSecret(result),
  schema: ({ object, text, secret }) => {
    const answer = object ?? parse(text) ?? {};
    const { city, degrees } = answer.structured_output ?? answer;
    return city === secret && degrees === 18 ? undefined : `no object: ${object ? JSON.stringify(object) : text}`;
  },
  cancel: ({ startedAt, closedAt }) => {
    if (startedAt === 0) return "the model was never asked";
    const tookMs = closedAt === 0 ? cancelLimitMs : closedAt - startedAt;
    return tookMs < cancelLimitMs ? undefined : "the run went on";
  },
  errors: ({ failed = "", exchanges }) => {
    if (!/insufficient|balance|credit|quota/i.test(failed)) return `says ${failed || "nothing"}`;
    const runs = exchanges.filter(({ isRun }) => isRun);
    const ofTools = runs.filter((exchange) => exchange.ofTools);
    const asked = ofTools.length > 0 ? ofTools : runs;
    return asked.length > 1
      ? `asks ${asked.length} times (${asked.map(({ status }) => status).join(", ")})`
      : undefined;
  },
};

export const scenarios = Object.keys(checks);

/** A program may also print what its tool returned; only the model says the words before it. */
function expectSecret({ text = "", secret }, before = "") {
  return text.includes(before + secret) ? undefined : `answer: ${text}`;
}

/** A library gives the pieces to its caller; of a program it is seen that it asks for a stream. */
function expectPieces({ pieces, exchanges }) {
  if (pieces === undefined)
    return exchanges.some(({ isRun, isStream }) => isRun && isStream) ? undefined : "asks for no stream";
  return pieces < 2 ? `pieces: ${pieces}` : undefined;
}

/** All requests of a question with tools belong to one run, whose ID is on every answer. */
function expectOneRun({ exchanges }) {
  const runs = new Set(
    exchanges
      .filter(({ isRun, ofTools, runId }) => isRun && ofTools && runId?.startsWith("run-"))
      .map(({ runId }) => runId),
  );
  return runs.size === 1 ? undefined : `${runs.size} runs`;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the text of a cell. */
export function judge(scenario, result) {
  const wrong =
    result.error && scenario !== "errors" && scenario !== "cancel" ? result.error : checks[scenario](result);
  return wrong === undefined ? "ok" : `✗ ${oneLine(wrong).slice(0, 120)}`;
}

function oneLine(text) {
  return text.replaceAll(/\s+/g, " ").replaceAll("|", "/").trim();
}

/** Prints a row for each client, the reasons of what a client cannot do, and the clients that could not be installed. */
export function printApiTable({ rows, skipped, names }) {
  const notes = [];
  const head = ["client", "version", "path", ...names];
  console.log(`| ${head.join(" | ")} |\n|${head.map(() => " --- |").join("")}`);
  for (const { title, version, missing = {}, results } of rows) {
    const played = names.map((name) => results[name]?.cell ?? `–${addNote(notes, missing[name] ?? "not played")}`);
    const paths = new Set(
      Object.values(results)
        .flatMap(({ exchanges }) => exchanges.filter(({ isRun }) => isRun))
        .map(({ path }) => path),
    );
    console.log(`| ${[title, version, [...paths].map((path) => `\`${path}\``).join(", "), ...played].join(" | ")} |`);
  }
  console.log("");
  for (const [index, text] of notes.entries()) console.log(`${index + 1}. ${text}`);
  for (const { client, obstacle } of skipped) console.log(`- skipped: ${client.name}: ${obstacle}`);
}

function addNote(notes, text) {
  if (!notes.includes(text)) notes.push(text);
  return ` [${notes.indexOf(text) + 1}]`;
}
