// Records docs/session.svg and docs/session.txt (and the same in Chinese, session.zh.*): the built program in a pseudo terminal,
// a model provider and a search server of this machine, one question with two tools, its steps, its bill, and a step opened
// again. Needs no key and no network. Run `npm run build` first.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createEmulator } from "../test/fakes/emulator.ts";
import { startFakeProvider } from "../test/fakes/provider.ts";
import { openPseudoTerminal } from "../test/fakes/pseudo-terminal.ts";
import { startFakeSearch } from "../test/fakes/search.ts";
import { drawSession, readScreen } from "./draw-session.mjs";
import { scenes } from "./session-scenes.mjs";

const size = { columns: 100, lines: 34 };
/** Between two looks at the screen, and how long the last one stands. */
const lookMs = 400;
const lastMs = 6_000;
const patienceMs = 20_000;
const program = fileURLToPath(new URL("../dist/duet.js", import.meta.url));
const docs = new URL("../docs/", import.meta.url);

await mkdir(docs, { recursive: true });
for (const scene of scenes) {
  const { svg, text } = await record(scene);
  await writeFile(new URL(`${scene.name}.svg`, docs), svg);
  await writeFile(new URL(`${scene.name}.txt`, docs), text);
  console.log(`docs/${scene.name}.svg: ${Math.ceil(svg.length / 1024)} KB`);
}

async function record(scene) {
  const [provider, search, home] = await Promise.all([
    startFakeProvider(),
    startFakeSearch({ "*": scene.pages }),
    mkdtemp(join(tmpdir(), "duet-session-")),
  ]);
  for (const [model, ...turns] of scene.turns) provider.script(model, ...turns);
  const emulator = createEmulator(size);
  const terminal = openPseudoTerminal({
    ...size,
    command: [process.execPath, program, "--mode", "agent"],
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, TERM: "xterm-256color", ...environment(provider, search), ...scene.env },
    onBytes: (bytes) => void emulator.write(bytes),
  });
  const film = startFilm(emulator);
  try {
    await act(scene, { terminal, emulator, film });
    return { svg: drawSession(film.frames(), size, scene.title), text: textOf(emulator) };
  } finally {
    film.stop();
    terminal.kill();
    await Promise.all([terminal.ended, provider.close(), search.close()]);
    await rm(home, { recursive: true, force: true });
  }
}

function environment(provider, search) {
  return {
    AGENT_FUNCTION_CALL_MODEL: '{"provider":"deepseek","model":"deepseek-chat"}',
    AGENT_ANSWER_MODEL: '{"provider":"anthropic","model":"claude-sonnet-4-5"}',
    DEEPSEEK_API_KEY: "sk-recorded",
    DEEPSEEK_BASE_URL: provider.openaiUrl,
    ANTHROPIC_API_KEY: "sk-ant-recorded",
    ANTHROPIC_BASE_URL: provider.anthropicUrl,
    OLLAMA_BASE_URL: "http://127.0.0.1:9/v1",
    SEARXNG_URL: search.url,
  };
}

async function act(scene, { terminal, emulator, film }) {
  await untilShown(emulator, scene.prompt);
  for (const { keys, shows } of scene.acts) {
    for (const piece of keys.match(/.{1,12}/gsu) ?? []) {
      terminal.write(piece);
      await pause(lookMs / 2);
    }
    terminal.write("\r");
    await untilShown(emulator, shows);
    await pause(lookMs * 2);
    film.hold(lookMs * 5);
  }
}

async function untilShown(emulator, text) {
  const late = performance.now() + patienceMs;
  while (!emulator.scrollback().join("\n").includes(text)) {
    if (performance.now() > late) throw new Error(`The screen never showed ${text}:\n${textOf(emulator)}`);
    await pause(50);
  }
}

/** Looks at the screen now and then; what does not change is one frame. */
function startFilm(emulator) {
  const frames = [];
  function look() {
    const screen = readScreen(emulator.terminal);
    const last = frames.at(-1);
    if (last?.screen.key === screen.key) last.holdMs += lookMs;
    else frames.push({ screen, holdMs: lookMs });
  }
  const timer = setInterval(look, lookMs);
  return {
    /** Lets what is shown now stand longer. */
    hold(ms) {
      look();
      frames.at(-1).holdMs += ms;
    },
    stop: () => clearInterval(timer),
    frames: () => frames.map((frame, index) => (index === frames.length - 1 ? { ...frame, holdMs: lastMs } : frame)),
  };
}

function textOf(emulator) {
  return `${emulator.scrollback().join("\n").trimEnd()}\n`;
}
