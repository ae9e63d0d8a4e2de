import {
  type InvitationOutcomes,
  type Invitee,
  mostInvitations,
} from '@atrium/core/invitations/invitations'
import { languages } from '@atrium/messages/languages'
import {
  Alert,
  Button,
  FileButton,
  Group,
  List,
  Modal,
  NativeSelect,
  Stack,
  Textarea,
} from '@mantine/core'
import { IconFileTypeCsv } from '@tabler/icons-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { ProblemAlert } from './data-states.tsx'
import { done } from './done.ts'
import { inviteesIn, lineOf } from './invitees.ts'
import { translations, withMessages } from './messages.ts'
import { useReturnedFocus } from './returned-focus.ts'
import { useAction } from './use-action.ts'

const t = translations('ui.invitations')
const frame = translations('ui.frame')

/** What every kind of invitation has; the rest is the page's. */
export interface InviteInput {
  invitees: Invitee[]
  language?: (typeof languages)[number]
  message?: string
}

interface Props {
  opened: boolean
  onClose: () => void
  /** Role or access level, lists. */
  children?: ReactNode
  /** One address at most, for the owner of a workplace. */
  single?: boolean
  /** What the page has to say about so many people before they are invited. */
  notice?: (count: number) => ReactNode
  onInvite: (input: InviteInput) => Promise<InvitationOutcomes>
  explain?: (error: unknown) => string | undefined
}

/** Invites the people whose addresses are typed or pasted. */
export default function InviteDialog(props: Props) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={t('dialog.title')} size="lg">
      {/* Mounted with each opening, so that nothing typed before is left in it. */}
      {props.opened && <Fields {...props} />}
    </Modal>
  )
}

function Fields({ onClose, children, single = false, notice, onInvite, explain }: Props) {
  useReturnedFocus()
  const [text, setText] = useState('')
  const [message, setMessage] = useState('')
  const [language, setLanguage] = useState('')
  const [fault, setFault] = useState<string>()
  const { pending, error, run } = useAction()
  const [rejected, setRejected] = useState<InvitationOutcomes['items']>([])
  const most = single ? 1 : mostInvitations
  const read = inviteesIn(text, most)

  async function send(event: FormEvent) {
    event.preventDefault()
    if ('fault' in read) return setFault(read.fault)
    setFault(undefined)
    await run(async () => {
      const chosen = languages.find((one) => one === language)
      const { items } = await onInvite({
        invitees: read.invitees,
        ...(chosen ? { language: chosen } : {}),
        ...(message.trim() === '' ? {} : { message: message.trim() }),
      })
      const left = items.filter(({ invitation }) => invitation === null)
      const count = items.length - left.length
      if (count > 0) done(t('dialog.done', { count }))
      // What was not invited stays, to be corrected.
      const names = new Map(read.invitees.map(({ email, name }) => [email, name]))
      setText(left.map(({ email }) => lineOf({ email, name: names.get(email) })).join('\n'))
      setRejected(left)
      if (left.length === 0) onClose()
    })
  }

  async function fill(file: File | null) {
    if (!file) return
    // Brings a library of its own, and is loaded when a file is chosen.
    const { linesOfCsv } = await withMessages(import('./invitees-csv.ts'), 'ui.issues')
    const csv = linesOfCsv(new Uint8Array(await file.arrayBuffer()))
    if ('fault' in csv) return setFault(csv.fault)
    setFault(undefined)
    setText((before) => [before.trim(), csv.text].filter((part) => part !== '').join('\n'))
  }

  return (
    <form onSubmit={send} noValidate>
      <Stack gap="sm">
        <Textarea
          label={t('dialog.addresses')}
          description={t('dialog.addressesHint', { most })}
          required
          data-autofocus
          autosize
          minRows={single ? 1 : 3}
          maxRows={10}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={fault}
        />
        {!single && (
          <FileButton accept=".csv,text/csv" onChange={(file) => void fill(file)}>
            {(props) => (
              <Button
                {...props}
                size="xs"
                variant="default"
                leftSection={<IconFileTypeCsv size={16} aria-hidden />}
                style={{ alignSelf: 'flex-start' }}
              >
                {t('dialog.file')}
              </Button>
            )}
          </FileButton>
        )}
        {children}
        <NativeSelect
          label={t('dialog.language')}
          value={language}
          onChange={(event) => setLanguage(event.currentTarget.value)}
          data={[
            { value: '', label: t('dialog.languageDefault') },
            { value: 'en', label: 'English' },
            { value: 'de', label: 'Deutsch' },
          ]}
        />
        <Textarea
          label={t('dialog.message')}
          description={t('dialog.messageHint')}
          maxLength={1_000}
          autosize
          minRows={2}
          maxRows={8}
          value={message}
          onChange={(event) => setMessage(event.currentTarget.value)}
        />
        {rejected.length > 0 && (
          <Alert color="yellow" title={t('dialog.rejected', { count: rejected.length })}>
            <List size="sm">
              {rejected.map((one) => (
                <List.Item key={one.email}>
                  {one.email}: {one.message}
                </List.Item>
              ))}
            </List>
          </Alert>
        )}
        {'invitees' in read && notice?.(read.invitees.length)}
        {error !== undefined && (
          <ProblemAlert title={t('dialog.failed')} error={error} message={explain?.(error)} />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={pending}>
            {frame('cancel')}
          </Button>
          <Button type="submit" loading={pending}>
            {t('dialog.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
