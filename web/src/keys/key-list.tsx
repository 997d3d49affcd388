import { keyText as text } from '../strings/keys';
import { Dialog } from '../ui/dialog';
import { useStore } from '../ui/store';
import { keys } from './registry';
import css from './key-list.module.css';

/** The keys that work here. */
export function KeyList({ onClose }: { onClose: () => void }) {
  const all = useStore(keys);
  const groups = [...new Set(all.map(({ group }) => group))];
  return (
    <Dialog isOpen onClose={onClose} title={text.title} description={text.hint}>
      {groups.map((group) => (
        <section key={group} className={css['group']}>
          <h3>{group}</h3>
          <dl>
            {all
              .filter((each) => each.group === group)
              .map(({ key, label }) => (
                <div key={key}>
                  <dt>{label}</dt>
                  <dd>
                    <kbd>{text.nameOf(key)}</kbd>
                  </dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
