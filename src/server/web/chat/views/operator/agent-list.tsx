import { sanitizeLine } from "../../../../../kit/text/sanitize.ts";
import type { OperatorAgents } from "../../api/operator.ts";
import { changeTexts } from "../../state/operator-change-texts.ts";
import { useSay } from "../page-model.ts";

/** Shows the configured agents, and programs that are known by name, with what is installed. */
export function AgentList({ agents }: OperatorAgents) {
  const say = useSay();
  return (
    <ul class="cards">
      {agents.map(({ name, description, configured, installed, install, mode }) => {
        const facts = [
          installed === null ? say(changeTexts.ownModels) : say(changeTexts[installed ? "installed" : "notInstalled"]),
          ...(configured ? [] : [say(changeTexts.notConfigured)]),
          ...(mode === null ? [] : [mode]),
        ];
        return (
          <li key={name} class="card" aria-label={name}>
            <h3>
              {name} <span class="facts">{facts.join(" · ")}</span>
            </h3>
            <p>{sanitizeLine(description)}</p>
            {installed === false && install !== null && (
              <p class="hint">
                <code>{install}</code>
              </p>
            )}
          </li>
        );
      })}
    </ul>
  );
}
