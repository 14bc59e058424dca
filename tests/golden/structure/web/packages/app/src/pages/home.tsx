import React from 'react'
import store from 'store'
import kit from '@acme/kit'
import styles from './home.css?inline'
import home from 'icons/home'
import { menu } from '~/menu'
import './missing.css'
export const Home = () => <p className={styles}>{[React, store, kit, home, menu]}</p>
