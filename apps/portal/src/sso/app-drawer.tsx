import type { SsoAppView } from '@atrium/core/sso/sso'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { CopyValue } from '@atrium/ui/copy'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
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
import { appState } from './status-meta.ts'

const t = translations('portal.sso')

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
    <SideDrawer
      opened={app !== undefined}
      onClose={onClose}
      title={app?.name ?? t('details.title')}
    >
      {app && <AppDetails {...props} app={app} onClose={onClose} />}
    </SideDrawer>
  )
}

function AppDetails({ slug, app, mayChange, onClose }: Props & { app: SsoAppView }) {
  const [asking, { open, close }] = useDisclosure(false)
  const remove = useRemoveSsoApp(slug)
  const state = appState(app.state)
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
        <DetailItem label={t('details.issuer')}>
          <CopyValue label={t('details.issuer')} hideLabel value={app.issuer} />
        </DetailItem>
        <DetailItem label={t('details.discovery')}>
          <CopyValue label={t('details.discovery')} hideLabel value={app.discoveryUrl} />
        </DetailItem>
        <DetailItem label={t('details.clientId')}>
          <CopyValue label={t('details.clientId')} hideLabel value={app.clientId} />
        </DetailItem>
        <DetailItem label={t('details.clientSecret')}>{t('details.secretShown')}</DetailItem>
        <DetailItem label={t('details.redirects', { count: app.redirectUris.length })}>
          {app.redirectUris.map((uri, index) => (
            <div key={uri}>
              <CopyValue
                label={t('redirects.numbered', { number: index + 1 })}
                hideLabel
                value={uri}
              />
            </div>
          ))}
        </DetailItem>
        {app.launchUrl && (
          <DetailItem label={t('details.startAddress')}>
            <CopyValue label={t('details.startAddress')} hideLabel value={app.launchUrl} />
          </DetailItem>
        )}
        <DetailItem label={t('details.added')}>
          <Time at={app.createdAt} show="both" />
        </DetailItem>
      </DetailList>
      <section aria-labelledby="setup">
        <Title order={3} id="setup" mb="xs">
          {t('setup.title')}
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
            {t('remove.action')}
          </Button>
        </Group>
      )}
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title={t('remove.title', { app: app.name })}
        confirmLabel={t('remove.action')}
        explain={explain}
        onConfirm={async () => {
          await remove.mutateAsync({ slug, appId: app.id })
          done(t('remove.done', { app: app.name }))
          onClose()
        }}
      >
        <Stack gap="xs">
          <Text size="sm">{t('remove.intro', { app: app.name })}</Text>
          <List size="sm" spacing={4}>
            <List.Item>{t('remove.noSignIn')}</List.Item>
            <List.Item>{t('remove.noSecret')}</List.Item>
          </List>
          <Text size="sm">{t('remove.dataStays')}</Text>
        </Stack>
      </ConfirmDialog>
    </Stack>
  )
}

function SetupTabs({ app }: { app: SsoAppView }) {
  const snippets = setupSnippets(app)
  return (
    <Tabs defaultValue={snippets[0]?.id ?? null} keepMounted={false}>
      <Tabs.List aria-label={t('setup.tabs')}>
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
          <Snippet
            label={id === 'other' ? t('setup.settings') : t('setup.settingsFor', { app: label })}
            text={text}
          />
          <Text size="sm" c="dimmed" mt="xs">
            {id === 'other' ? redirectHint : t('setup.usualRedirect', { address: redirectHint })}
          </Text>
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
