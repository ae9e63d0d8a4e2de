import type { ListView } from '@atrium/core/mail/lists'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { Badge } from '@mantine/core'
import { outside } from './recipients.ts'
import classes from './recipients-editor.module.css'

const t = translations('portal.lists')

/** Who gets the mail of a list, for people who may not change it. */
export function RecipientsView({ list, domains }: { list: ListView; domains: readonly string[] }) {
  const foreign = new Set(outside(list.recipients, domains))
  return (
    <Panel title={t('recipients.count', { count: list.recipients.length })}>
      <ul className={classes.list}>
        {list.recipients.map((address) => (
          <li key={address} className={classes.recipient}>
            <span className={classes.address}>{address}</span>
            {foreign.has(address) && (
              <Badge variant="light" color="gray" c="inherit">
                {t('recipients.outside')}
              </Badge>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}
