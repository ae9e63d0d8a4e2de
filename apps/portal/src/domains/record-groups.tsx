import type { RecordVerdict } from '@atrium/core/domains'
import { CopyValue } from '@atrium/ui/copy'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Code, Stack, Text, Title, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronDown } from '@tabler/icons-react'
import { useId } from 'react'
import { verdictLooks } from './looks.ts'
import classes from './record-groups.module.css'
import { groupRecords, hostPart, mxParts, purposeWords, type RecordGroup } from './records.ts'

interface Props {
  records: readonly RecordVerdict[]
  domain: string
  /** A check is under way: verdicts shown are about to change. */
  checking: boolean
}

/** The records by what they are for; the ones that only make life easier are folded. */
export function RecordGroups({ records, domain, checking }: Props) {
  const groups = groupRecords(records)
  const needed = groups.filter(({ purpose }) => purpose !== 'other')
  const other = groups.find(({ purpose }) => purpose === 'other')
  if (groups.length === 0) return <Text c="dimmed">The mail server has not told the records yet. They appear here as soon as it has.</Text>
  return (
    <Stack gap="xl">
      {needed.map((group) => (
        <Group key={group.purpose} group={group} domain={domain} checking={checking} />
      ))}
      {other && <Folded group={other} domain={domain} checking={checking} />}
    </Stack>
  )
}

interface GroupProps extends Omit<Props, 'records'> {
  group: RecordGroup
}

function Group({ group, domain, checking }: GroupProps) {
  const id = useId()
  const { title, text } = purposeWords[group.purpose]
  return (
    <section aria-labelledby={id}>
      <Title order={3} id={id} size="h3">
        {title}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {text}
      </Text>
      <RecordList group={group} domain={domain} checking={checking} />
    </section>
  )
}

function Folded({ group, domain, checking }: GroupProps) {
  const [opened, { toggle }] = useDisclosure(false)
  const id = useId()
  return (
    <section aria-label={purposeWords.other.title}>
      <UnstyledButton className={classes.fold} onClick={toggle} aria-expanded={opened} aria-controls={id}>
        <IconChevronDown size={18} aria-hidden className={classes.chevron} data-open={opened || undefined} />
        <span>
          <Text span fw={600}>
            {purposeWords.other.title}
          </Text>
          <Text span size="sm" c="dimmed">
            {' '}
            ({group.records.length} optional {group.records.length === 1 ? 'record' : 'records'})
          </Text>
        </span>
      </UnstyledButton>
      <div id={id}>
        {opened && (
          <>
            <Text size="sm" c="dimmed" my="sm">
              {purposeWords.other.text}
            </Text>
            <RecordList group={group} domain={domain} checking={checking} />
          </>
        )}
      </div>
    </section>
  )
}

function RecordList({ group, domain, checking }: GroupProps) {
  return (
    <ul className={classes.list} aria-busy={checking}>
      {group.records.map((record) => (
        <li key={`${record.type} ${record.name} ${record.value}`} className={classes.record} data-verdict={record.verdict}>
          <RecordFacts record={record} domain={domain} checking={checking} />
        </li>
      ))}
    </ul>
  )
}

function RecordFacts({ record, domain, checking }: { record: RecordVerdict; domain: string; checking: boolean }) {
  const host = hostPart(record.name, domain)
  const mx = mxParts(record)
  return (
    <>
      <div className={classes.head}>
        <Code className={classes.type}>{record.type}</Code>
        <StatusBadge {...(checking ? { label: 'Checking', tone: 'working' } : verdictLooks[record.verdict])} />
        {!record.required && (
          <Text span size="sm" c="dimmed">
            Optional
          </Text>
        )}
      </div>
      <dl className={classes.facts}>
        <dt>Name</dt>
        <dd>
          <CopyValue label={`name of ${record.type} ${host}`} hideLabel value={host} />
          {host !== record.name && (
            <Text size="sm" c="dimmed">
              or whole: {record.name}
            </Text>
          )}
        </dd>
        <dt>Value</dt>
        <dd>
          <CopyValue label={`value of ${record.type} ${host}`} hideLabel value={record.value} />
          {mx && (
            <Text size="sm" c="dimmed">
              Where they are asked apart: priority {mx.preference}, server {mx.host}
            </Text>
          )}
        </dd>
        {!checking && <Found record={record} />}
      </dl>
      {record.reason && !checking && (
        <Text size="sm" className={classes.reason} data-verdict={record.verdict}>
          {record.reason}
        </Text>
      )}
    </>
  )
}

/** What DNS answers, unless it is just what was asked for. */
function Found({ record }: { record: RecordVerdict }) {
  if (record.verdict === 'unchecked' || record.verdict === 'unknown') return null
  if (record.verdict === 'ok' && record.found.length === 1 && record.found[0] === record.value) return null
  return (
    <>
      <dt>Found</dt>
      <dd>
        {record.found.length === 0 && (
          <Text size="sm" c="dimmed">
            Nothing
          </Text>
        )}
        {record.found.map((value) => (
          <div key={value}>
            <Code className={classes.found}>{value}</Code>
          </div>
        ))}
      </dd>
    </>
  )
}
