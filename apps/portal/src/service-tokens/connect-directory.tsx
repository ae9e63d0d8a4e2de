import { CopyValue } from '@atrium/ui/copy'
import { QueryState } from '@atrium/ui/data-states'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import type { ProposedToken } from '@atrium/ui/service-tokens/create-token'
import { Button, List, Stack, Tabs, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { apiAddressQuery } from './api-address.ts'

const t = translations('portal.directory')

interface Props {
  tenant: { slug: string; name: string }
  onCreateToken: (proposed: ProposedToken) => void
}

/** How a directory provisions members: the address, a token, and the steps in the directory. */
export function ConnectDirectory({ tenant: { slug, name }, onCreateToken }: Props) {
  const query = useQuery(apiAddressQuery)
  const path = `/tenants/${slug}/scim/v2`
  const address = `${query.data?.url ?? ''}${path}`
  const token: ProposedToken = { name: t('tokenName'), scopes: ['scim:read', 'scim:write'] }
  return (
    <Panel
      title={t('title')}
      description={t('description', { owner: name })}
      actions={
        <Button
          variant="default"
          leftSection={<IconPlus size={17} aria-hidden />}
          onClick={() => onCreateToken(token)}
        >
          {t('createToken')}
        </Button>
      }
    >
      <Stack gap="md">
        <QueryState query={query} loading={t('loading')} failed={t('loadFailed')} />
        {query.data?.url === null && <Text size="sm">{t('noAddress')}</Text>}
        {query.data && (
          <CopyValue label={t(query.data.url === null ? 'path' : 'address')} value={address} />
        )}
        <div>
          <Text size="sm" fw={600} mb={4}>
            {t('before.title')}
          </Text>
          <List size="sm" spacing={4}>
            <List.Item>{t('before.domain')}</List.Item>
            <List.Item>{t('before.seats')}</List.Item>
            <List.Item>{t('before.password')}</List.Item>
            <List.Item>{t('before.groups')}</List.Item>
          </List>
        </div>
        <Tabs defaultValue="entra" keepMounted={false}>
          <Tabs.List mb="sm" aria-label={t('directories')}>
            <Tabs.Tab px="xs" value="entra">
              {t('entra.title')}
            </Tabs.Tab>
            <Tabs.Tab px="xs" value="okta">
              {t('okta.title')}
            </Tabs.Tab>
            <Tabs.Tab px="xs" value="authentik">
              {t('authentik.title')}
            </Tabs.Tab>
          </Tabs.List>
          <Steps of="entra">
            <List.Item>{t('entra.app')}</List.Item>
            <List.Item>
              {t('entra.connect')}
              <CopyValue hideLabel label={t('entra.url')} value={`${address}?aadOptscim062020`} />
            </List.Item>
            <List.Item>{t('entra.mappings')}</List.Item>
            <List.Item>{t('entra.assign')}</List.Item>
          </Steps>
          <Steps of="okta">
            <List.Item>{t('okta.app')}</List.Item>
            <List.Item>{t('okta.connect')}</List.Item>
            <List.Item>{t('okta.enable')}</List.Item>
            <List.Item>{t('okta.assign')}</List.Item>
          </Steps>
          <Steps of="authentik">
            <List.Item>{t('authentik.provider')}</List.Item>
            <List.Item>{t('authentik.mappings')}</List.Item>
            <List.Item>{t('authentik.application', { owner: name })}</List.Item>
          </Steps>
        </Tabs>
      </Stack>
    </Panel>
  )
}

function Steps({ of, children }: { of: string; children: ReactNode }) {
  return (
    <Tabs.Panel value={of}>
      <List type="ordered" size="sm" spacing="xs">
        {children}
      </List>
    </Tabs.Panel>
  )
}
