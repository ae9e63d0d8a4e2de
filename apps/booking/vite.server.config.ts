import { serverBuild } from '@atrium/bff/vite-server'
import { defineConfig } from 'vite'

export default defineConfig(serverBuild(import.meta.dirname))
