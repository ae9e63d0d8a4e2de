import type { MemberView } from '@atrium/core/members/members'
import { LinkAnchor, type LinkTarget } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Checkbox, Text } from '@mantine/core'

import { memberMeta } from './member-status-meta.ts'
import classes from './members.module.css'

const t = translations('portal.members')
const labels = translations('ui.labels')

interface Props {
  caption: string
  rows: readonly MemberView[]
  stale: boolean
  /** Where a row leads: the details of its member. */
  target: (member: MemberView) => LinkTarget
  /** Ids of the chosen rows; absent for people who may not act on members. */
  chosen?: ReadonlySet<string> | undefined
  onChoose: (member: MemberView, chosen: boolean) => void
}

/** People of a workplace, one row each. */
export function MembersTable({ caption, rows, stale, target, chosen, onChoose }: Props) {
  const columns: Column<MemberView>[] = [
    {
      key: 'name',
      header: t('table.name'),
      primary: true,
      cell: (member) => (
        <div className={classes.person}>
          {chosen && (
            <Checkbox
              className={classes.choose}
              aria-label={t('table.choose', { member: member.name })}
              checked={chosen.has(member.id)}
              onChange={(event) => onChoose(member, event.currentTarget.checked)}
            />
          )}
          <div className={classes.words}>
            <LinkAnchor
              {...target(member)}
              data-row-link
              resetScroll={false}
              size="sm"
              fw={550}
              c="inherit"
              underline="hover"
            >
              {member.name}
            </LinkAnchor>
            <Text size="sm" c="dimmed">
              {member.email}
            </Text>
          </div>
        </div>
      ),
    },
    { key: 'mailbox', header: t('table.mailbox'), cell: (member) => <Mailbox {...member} /> },
    { key: 'role', header: t('table.role'), cell: ({ role }) => labels(`roles.${role}`) },
    {
      key: 'status',
      header: t('table.status'),
      cell: (member) => <StatusBadge {...memberMeta(member)} />,
    },
    {
      key: 'joined',
      header: t('table.joined'),
      wideOnly: true,
      cell: ({ joinedAt }) => <Time at={joinedAt} />,
    },
  ]
  return (
    <ResponsiveTable
      caption={caption}
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      stale={stale}
    />
  )
}

/** The mailbox where it differs from the address beside the name. */
function Mailbox({ email, mailboxAddress }: Pick<MemberView, 'email' | 'mailboxAddress'>) {
  if (mailboxAddress && mailboxAddress !== email) return <>{mailboxAddress}</>
  return (
    <Text span size="sm" c="dimmed">
      {t(mailboxAddress ? 'table.sameMailbox' : 'table.noMailbox')}
    </Text>
  )
}
