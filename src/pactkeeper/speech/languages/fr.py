"""French."""

from __future__ import annotations

from typing import Final

from pactkeeper.speech.languages.table import Language

TABLE: Final = Language(
    code="fr",
    stemmer="french",
    labels={
        "epic_id": "épopée, epic, epic parent",
        "title": "titre, titre du ticket, sujet, objet",
        "problem": "problème, le problème, contexte, pourquoi, constat, description du problème, comportement actuel",
        "proposed_solution": "solution, solution proposée, proposition, approche, idée",
        "acceptance_criteria": """critères d'acceptation, critère d'acceptation, critères, critère, exigences, exigence,
            terminé quand, comportement attendu, attendu""",
        "constraints": "contraintes, contrainte, limites, limite",
        "open_questions": "questions ouvertes, question ouverte, questions, question, à clarifier",
        "dependencies": "dépendances, dépendance, dépend de, bloqué par, prérequis",
        "risks": "risques, risque",
        "evidence_links": "liens, lien, voir, voir aussi, preuves, références",
    },
    other_labels="description, environnement, étapes, étapes pour reproduire, alternatives, notes, remarque, remarques",
    casual="""question, questions, voir, voir aussi, lien, liens, idée, approche, pourquoi, contexte, sujet, objet,
        constat, attendu, limite, limites, nouveau, nouvelle, nouvel, modification, modifié, mise à jour""",
    corrections="correction, corrigé, corrigée, modification, modifié, nouveau, nouvelle, nouvel, mise à jour",
    removals="supprimer, retirer, enlever, plus besoin de",
    given="étant donné, étant donné que, étant donnée, étant donnés, soit",
    when="quand, lorsque",
    then="alors",
    also="et, mais",
    scenarios="scénario, plan du scénario, fonctionnalité, contexte, exemple, exemples",
    not_known="""je ne sais pas, je sais pas, sais pas, je ne sais pas encore, on ne sait pas, on ne sait pas encore,
        aucune idée, inconnu, à définir, pas sûr, pas encore décidé""",
    nothing="aucun, aucune, rien, néant, sans objet",
    both="les deux, tous les deux, toutes les deux, on garde les deux",
    first="a, premier, première, le premier, la première",
    second="b, deuxième, second, seconde, le deuxième, la deuxième, le second, la seconde",
    keep="on garde, gardons, garder, on prend, prenons, garde",
    small_talk="""salut bonjour bonsoir coucou merci beaucoup d'accord ok parfait très bien super génial oui non ça marche à
        plus bonne journée tous le monde haha mdr désolé pardon voilà""",
    abbreviations="p.ex etc env max min cf art",
    empty="""le la les l un une des du de d au aux ce cet cette ces et ou mais est sont était être sera seront a ont avoir peut
        peuvent doit doivent devra faut on nous vous ils elles il elle je tu se s que qu qui dans par pour sur sous avec
        en à y toujours aussi encore puis donc si chaque tous toutes tout après avant plus""",
    negations="non ne n pas jamais aucun aucune rien personne ni sans",
    without="ne pas, n'est pas, ne doit pas, ne peut pas, au lieu de, plutôt que",
    at_most="au plus, au maximum, maximum, jusqu'à, pas plus de, dans les, en moins de, limité à, max",
    at_least="au moins, au minimum, minimum, pas moins de, ou plus, min",
    less="moins de, sous, inférieur à, inférieure à",
    more="plus de, supérieur à, supérieure à, au-delà de",
    units="""
        second 0.001 milliseconde millisecondes
        second 1 seconde secondes
        second 60 minute minutes
        second 3600 heure heures
        second 86400 jour jours
        second 604800 semaine semaines
        month 1 mois
        month 3 trimestre trimestres
        month 12 an ans année années
        byte 1 octet octets
        byte 1000 ko
        byte 1000000 mo
        byte 1000000000 go
        share 1 pourcent
        pound 1 livre livres
    """,
    halves="une demi, une demi-, un demi, un demi-",
    ones="un une",
    months=(
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ),
    weekdays=("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
    until="avant, jusqu'au, au plus tard",
    since="après, à partir du, dès",
    before="avant",
    month_leads="en de pour",
    month_parts="mi-, début, fin",
    date_links="le de er",
    opposites="""accepté refusé, accepter refuser, autorisé interdit, autoriser interdire, public privé, visible caché,
        visible invisible, obligatoire facultatif, obligatoire optionnel, ouvrir fermer, ouvert fermé, activé désactivé,
        activer désactiver, conserver supprimer, conservé supprimé, garder supprimer, toujours jamais, avant après,
        chiffré clair, chiffré déchiffré, croissant décroissant, automatique manuel, gratuit payant, afficher masquer,
        ajouter retirer, interne externe, possible impossible""",
    synonyms="""supprimer effacer, supprimé effacé, afficher montrer, utilisateur client, courriel e-mail mail email,
        conserver garder, conservé gardé, refuser rejeter, refusé rejeté, autoriser permettre, autorisé permis,
        obligatoire requis, envoyer expédier, commencer débuter, terminer finir, fichier document""",
    limits="maximum minimum limite plus moins dure durent prend expire expirent coûte",
    scopes="si quand lorsque pendant pour sauf dès",
    refusals="refusé refusés refusée refusées refuser rejeté rejetés interdit interdite interdits bloqué",
    only="seul seuls seule seules seulement uniquement",
    rates="quotidien:jour quotidiennement:jour hebdomadaire:semaine mensuel:mois mensuellement:mois annuel:an",
    hedges="si peut-être pourrait pourrions devrait devrions supposons veuillez propose recommande crois pense",
    decided="décidé, décision, convenu, retenu, choisi, on garde, on part sur",
    reasons="parce que, parce qu', car, puisque, afin de, à cause de, en raison de",
    agrees="oui, d'accord, parfait, exactement, vas-y, allez-y, c'est bon, entendu",
    ours="je j'ai nous on notre",
    others="ils elles elle tu vous qui",
    pending="être sera seront doit doivent veut presque partiellement bientôt demain",
    done="terminé terminée fini finie livré livrée fermé fermée envoyé envoyée",
    moved="reporté reportée repoussé repoussée décalé décalée reporte reportons reporter repousser décale décaler",
    given_up="annulé, annulée, abandonné, abandonnée, suspendu, suspendue, en pause, hors périmètre",
    entries="nouvelle entrée, nouvelle tâche",
    tasks="tâche tâches ticket tickets",
    verdicts="verdict, conclusion, cause, constat",
    cases="sans sauf qui que dont avant après",
    equals="est sont",
    numbered="version étape phase section page chapitre niveau partie",
    deeds="""ajouter créer écrire vérifier envoyer faire""",
    versions="révisé révisée nouveau nouvelle actualisé",
    plans="plan, étape, étapes, phase, phases, prochaines étapes, démarche, à faire",
    roadmaps="feuille de route, jalon, jalons, phase, phases",
    analyses="analyse, constats, comparaison, cause racine, évaluation, enseignements, audit, entretien, entretiens",
    frameworks="cadre, taxonomie, modèle, critères, matrice, principes, niveaux, classification, grille",
    asides="risques, questions, hypothèses, options, alternatives, installation, résultats, changements, pourquoi",
    wanted="recommandation, recommandations, prochaines étapes",
    steps="étape, étapes, phase, phases, jalon, jalons",
    past="fait",
    today="aujourd'hui",
    yesterday="hier",
    this_week="cette semaine",
    last_week="la semaine dernière, la semaine passée",
    this_month="ce mois-ci",
    last_month="le mois dernier, le mois passé",
)
