import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  readonly look?: "danger";
  /** Marks the one that is chosen; absent where nothing is chosen. */
  readonly isChosen?: boolean;
  act(): void;
}

export interface MenuProps {
  readonly label: string;
  readonly icon: IconName;
  readonly items: readonly MenuItem[];
}

/** Shows a button that opens a list of things to do. */
export function Menu({ label, icon, items }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <button
        type="button"
        ref={button}
        class="plain open-menu"
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={icon} />
      </button>
      {isOpen && <MenuList label={label} items={items} anchor={button} close={() => setOpen(false)} />}
    </>
  );
}

interface ListProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly anchor: { readonly current: HTMLElement | null };
  close(): void;
}

function MenuList({ label, items, anchor, close }: ListProps) {
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = list;
    if (current === null || anchor.current === null) return;
    current.showPopover();
    place(current, anchor.current.getBoundingClientRect());
    current.querySelector("button")?.focus();
  }, []);
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const buttons = [...(list.current?.querySelectorAll("button") ?? [])];
    const at = buttons.findIndex((button) => button.matches(":focus"));
    buttons.at((at + step) % buttons.length)?.focus();
  };
  return (
    <div
      ref={list}
      class="menu"
      role="menu"
      tabIndex={-1}
      popover="auto"
      aria-label={label}
      onKeyDown={move}
      onToggle={(event) => {
        if (event.newState === "closed") close();
      }}
    >
      {items.map((item) => (
        // biome-ignore lint/a11y/useAriaPropsSupportedByRole: it stands where the role is the one that has it
        <button
          key={item.label}
          type="button"
          role={item.isChosen === undefined ? "menuitem" : "menuitemradio"}
          aria-checked={item.isChosen}
          class={item.look}
          onClick={() => {
            list.current?.hidePopover();
            anchor.current?.focus();
            item.act();
          }}
        >
          {item.icon && <Icon name={item.icon} />}
          <span>{item.label}</span>
          {item.isChosen && <Icon name="check" />}
        </button>
      ))}
    </div>
  );
}

/** Keeps the list beside its button and within the window. The space around it is in CSS pixels. */
function place(list: HTMLElement, anchor: DOMRect): void {
  const space = 6;
  const { offsetWidth: width, offsetHeight: height } = list;
  const below = anchor.bottom + space + height <= innerHeight;
  list.style.left = `${Math.max(space, Math.min(anchor.left, innerWidth - width - space))}px`;
  list.style.top = `${below ? anchor.bottom + space : Math.max(space, anchor.top - space - height)}px`;
}
