import { sanitizeLine } from "../../../../../kit/text/sanitize.ts";
import type { ShownFile } from "../../state/chat-state.ts";
import { renderSize, turnTexts } from "../../state/turn-texts.ts";
import { Icon } from "../controls/icon.tsx";
import { useSay } from "../page-model.ts";

export interface FileChipProps {
  readonly file: ShownFile;
  /** Is a data: address of an image, where one can be shown. */
  readonly picture?: string | undefined;
  remove?(): void;
}

/** Shows a file that comes with a question. */
export function FileChip({ file, picture, remove }: FileChipProps) {
  const say = useSay();
  const name = sanitizeLine(file.name);
  return (
    <li class="file">
      {picture === undefined ? (
        <Icon name={file.mediaType.startsWith("image/") ? "image" : "file"} />
      ) : (
        <img src={picture} alt="" />
      )}
      <span class="file-name" title={name}>
        {name}
      </span>
      <span class="facts">{renderSize(file.size)}</span>
      {remove && (
        <button type="button" class="plain" aria-label={`${say(turnTexts.detach)} ${name}`} onClick={remove}>
          <Icon name="close" />
        </button>
      )}
    </li>
  );
}
