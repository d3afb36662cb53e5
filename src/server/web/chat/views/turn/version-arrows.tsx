import type { Versions } from "../../state/talk-tree.ts";
import { turnTexts } from "../../state/turn-texts.ts";
import { Icon } from "../controls/icon.tsx";
import { usePage, useSay } from "../page-model.ts";

export interface ArrowsProps {
  readonly versions: Versions;
  /** Names what there are several of. */
  readonly of: string;
}

/** Shows the way to the other versions of a question or an answer. There is none where there is one version. */
export function VersionArrows({ versions: { all, at }, of }: ArrowsProps) {
  const { actions } = usePage();
  const say = useSay();
  if (all.length < 2) return null;
  const showVersion = (to: number): void => {
    const n = all[to];
    if (n !== undefined) actions.showTurn(n);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a set of fields would be a part of a form
    <span class="versions" role="group" aria-label={of}>
      <button
        type="button"
        class="plain"
        aria-label={say(turnTexts.before)}
        disabled={at <= 0}
        onClick={() => showVersion(at - 1)}
      >
        <Icon name="left" />
      </button>
      <span>{`${at + 1}/${all.length}`}</span>
      <button
        type="button"
        class="plain"
        aria-label={say(turnTexts.after)}
        disabled={at >= all.length - 1}
        onClick={() => showVersion(at + 1)}
      >
        <Icon name="right" />
      </button>
    </span>
  );
}
