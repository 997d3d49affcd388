import type { ReactNode } from 'react';
import css from './operate.module.css';

export interface Column<T> {
  readonly name: string;
  readonly cell: (row: T) => ReactNode;
  /** Numbers stand under each other. */
  readonly isNumber?: boolean;
  /** Buttons, whose column needs no name to be seen. */
  readonly isActions?: boolean;
}

interface TableProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  /** Said where there are no rows. */
  readonly empty: string;
  /** A row that an address names. */
  readonly isCurrent?: (row: T) => boolean;
}

/** A table; on a narrow page each row is a list of its cells with their names. */
export function Table<T>({ label, columns, rows, keyOf, empty, isCurrent }: TableProps<T>) {
  if (rows.length === 0) return <p className={css['note']}>{empty}</p>;
  const kind = ({ isNumber, isActions }: Column<T>) =>
    isNumber ? 'number' : isActions ? 'actions' : undefined;
  return (
    <div className={css['wide']}>
      <table className={css['table']} aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" data-kind={kind(column)}>
                {column.isActions ? (
                  <span className="visually-hidden">{column.name}</span>
                ) : (
                  column.name
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} aria-current={isCurrent?.(row) || undefined}>
              {columns.map((column) => (
                <Cell key={column.name} name={column.name} kind={kind(column)}>
                  {column.cell(row)}
                </Cell>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Stands where a row has nothing to say. */
export const NOTHING = '–';

function Cell(props: { name: string; kind: string | undefined; children: ReactNode }) {
  const { name, kind, children } = props;
  return (
    <td data-name={name} data-kind={kind} data-empty={children === NOTHING}>
      {children}
    </td>
  );
}

export function MoreRows({ onMore, children }: { onMore: () => void; children: ReactNode }) {
  return (
    <button type="button" className={css['more']} onClick={onMore}>
      {children}
    </button>
  );
}
