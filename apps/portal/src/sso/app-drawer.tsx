import type { SsoAppView } from '@atrium/core/sso/sso'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { CopyValue } from '@atrium/ui/copy'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { done } from '@atrium/ui/done'
import { SideDrawer } from '@atrium/ui/side-drawer'
import { Snippet } from '@atrium/ui/snippet'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Alert, Button, Group, List, Stack, Tabs, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconInfoCircle, IconTrash } from '@tabler/icons-react'
import { explain } from '../tenants/problems.ts'
import { useRemoveSsoApp } from './mutations.ts'
import { setupSnippets } from './setup-snippets.ts'
import { appStates } from './status-meta.ts'

interface Props {
  slug: string
  /** The application shown; none closes the drawer. */
  app: SsoAppView | undefined
  mayChange: boolean
  onClose: () => void
}

/** Everything needed to set an application up, and the way to take it away. */
export function AppDrawer({ app, onClose, ...props }: Props) {
  return (
    <SideDrawer opened={app !== undefined} onClose={onClose} title={app?.name ?? 'Application'}>
      {app && <AppDetails {...props} app={app} onClose={onClose} />}
    </SideDrawer>
  )
}

function AppDetails({ slug, app, mayChange, onClose }: Props & { app: SsoAppView }) {
  const [asking, { open, close }] = useDisclosure(false)
  const remove = useRemoveSsoApp(slug)
  const state = appStates[app.state]
  return (
    <Stack gap="lg">
      <Stack gap="xs">
        <Group>
          <StatusBadge {...state} />
        </Group>
        {state.advice && (
          <Alert color="yellow" variant="light" icon={<IconInfoCircle aria-hidden />}>
            {state.advice}
          </Alert>
        )}
      </Stack>
      <DetailList>
        <DetailItem label="Issuer">
          <CopyValue label="Issuer" hideLabel value={app.issuer} />
        </DetailItem>
        <DetailItem label="Discovery address">
          <CopyValue label="Discovery address" hideLabel value={app.discoveryUrl} />
        </DetailItem>
        <DetailItem label="Client id">
          <CopyValue label="Client id" hideLabel value={app.clientId} />
        </DetailItem>
        <DetailItem label="Client secret">
          Was shown once, when the application was added
        </DetailItem>
        <DetailItem
          label={app.redirectUris.length === 1 ? 'Redirect address' : 'Redirect addresses'}
        >
          {app.redirectUris.map((uri, index) => (
            <div key={uri}>
              <CopyValue label={`Redirect address ${index + 1}`} hideLabel value={uri} />
            </div>
          ))}
        </DetailItem>
        {app.launchUrl && (
          <DetailItem label="Start address">
            <CopyValue label="Start address" hideLabel value={app.launchUrl} />
          </DetailItem>
        )}
        <DetailItem label="Added">
          <Time at={app.createdAt} show="both" />
        </DetailItem>
      </DetailList>
      <section aria-labelledby="setup">
        <Title order={3} id="setup" mb="xs">
          Set it up
        </Title>
        <SetupTabs app={app} />
      </section>
      {mayChange && (
        <Group>
          <Button
            color="red"
            variant="light"
            leftSection={<IconTrash size={17} aria-hidden />}
            onClick={open}
          >
            Remove application
          </Button>
        </Group>
      )}
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title={`Remove ${app.name}?`}
        confirmLabel="Remove application"
        explain={explain}
        onConfirm={async () => {
          await remove.mutateAsync({ slug, appId: app.id })
          done(`${app.name} has been removed.`)
          onClose()
        }}
      >
        <Stack gap="xs">
          <Text size="sm">This takes {app.name} away at the identity provider:</Text>
          <List size="sm" spacing={4}>
            <List.Item>
              nobody can sign in to it with their account of this workplace any more
            </List.Item>
            <List.Item>its client id and secret stop working and cannot be brought back</List.Item>
          </List>
          <Text size="sm">What people have stored in the application itself is not touched.</Text>
        </Stack>
      </ConfirmDialog>
    </Stack>
  )
}

function SetupTabs({ app }: { app: SsoAppView }) {
  const snippets = setupSnippets(app)
  return (
    <Tabs defaultValue={snippets[0]?.id ?? null} keepMounted={false}>
      <Tabs.List aria-label="Applications with ready settings">
        {snippets.map(({ id, label }) => (
          <Tabs.Tab key={id} value={id}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(({ id, label, about, redirectHint, text }) => (
        <Tabs.Panel key={id} value={id} pt="md">
          <Text size="sm" mb="xs">
            {about}
          </Text>
          <Snippet label={id === 'other' ? 'Settings' : `Settings for ${label}`} text={text} />
          <Text size="sm" c="dimmed" mt="xs">
            {id === 'other' ? redirectHint : `Its redirect address is usually ${redirectHint}.`}
          </Text>
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
