import { Check } from 'lucide-react';
import { DropdownMenu as Radix } from 'radix-ui';
import type { ReactElement, ReactNode } from 'react';
import css from './ui.module.css';

interface MenuProps {
  readonly trigger: ReactElement;
  readonly children: ReactNode;
  readonly align?: 'start' | 'end';
}

export function Menu({ trigger, children, align = 'start' }: MenuProps) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className={css['menu']} align={align} sideOffset={4} collisionPadding={8}>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface MenuItemProps {
  readonly onSelect: () => void;
  readonly look?: 'danger';
  readonly children: ReactNode;
}

export function MenuItem({ onSelect, look, children }: MenuItemProps) {
  return (
    <Radix.Item className={css['item']} data-look={look} onSelect={onSelect}>
      {children}
    </Radix.Item>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly name: string; readonly hint?: string }[];
  readonly onChange: (value: T) => void;
}

/** Choice among several values. */
export function MenuChoice<T extends string>({ label, value, options, onChange }: ChoiceProps<T>) {
  return (
    <Radix.RadioGroup value={value} onValueChange={(chosen) => onChange(chosen as T)}>
      <Radix.Label className={css['label']}>{label}</Radix.Label>
      {options.map(({ value: each, name, hint }) => (
        <Radix.RadioItem key={each} value={each} className={css['item']}>
          <span className={css['check']}>
            <Radix.ItemIndicator>
              <Check size={14} aria-hidden />
            </Radix.ItemIndicator>
          </span>
          <span>
            {name}
            {hint !== undefined && <small>{hint}</small>}
          </span>
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  );
}

export function MenuSeparator() {
  return <Radix.Separator className={css['separator']} />;
}
