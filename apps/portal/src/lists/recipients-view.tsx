import type { ListView } from '@atrium/core/mail/lists'
import { formatCount } from '@atrium/ui/format'
import { Panel } from '@atrium/ui/panel'
import { Badge } from '@mantine/core'
import { outside } from './recipients.ts'
import classes from './recipients-editor.module.css'

/** Who gets the mail of a list, for people who may not change it. */
export function RecipientsView({ list, domains }: { list: ListView; domains: readonly string[] }) {
  const foreign = new Set(outside(list.recipients, domains))
  return (
    <Panel
      title={
        list.recipients.length === 1
          ? 'One recipient'
          : `${formatCount(list.recipients.length)} recipients`
      }
    >
      <ul className={classes.list}>
        {list.recipients.map((address) => (
          <li key={address} className={classes.recipient}>
            <span className={classes.address}>{address}</span>
            {foreign.has(address) && (
              <Badge variant="light" color="gray" c="inherit">
                Outside
              </Badge>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}
